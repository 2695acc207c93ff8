/* Compares the results of the tests' own tools with values that were worked out by hand. */
#include "brute.h"
#include "buffers.h"
#include "mpi_test.h"

static brute_axis axis;

static void the_brute_model_deals_as_by_hand(void **state)
{
  (void)state;
  static const int64_t lengths[] = {3, 0, 4};
  const dap_dist given = {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 7, .lengths = lengths};
  EXPECT(brute_deal(&given, &axis));
  EXPECT(axis.owner[2] == 0 && axis.owner[3] == 2 && axis.owned[1] == 0 && axis.local[6] == 3);

  dap_dist padded = {.procs = 3, .size = 8, .halo = 2}; /* 3, 3, 2 */
  EXPECT(brute_deal(&padded, &axis));
  EXPECT(axis.extent[0] == 5 && axis.extent[1] == 7 && axis.extent[2] == 4);
  EXPECT(axis.held[1][0] == 1 && axis.held[1][6] == 7 && axis.held[2][0] == 4 && axis.local[3] == 2);
  padded.halo = 3;
  EXPECT(!brute_deal(&padded, &axis));

  const dap_dist ceiling = {.kind = DAP_DIST_CEIL, .procs = 4, .size = 5}; /* 2, 2, 1, 0 */
  EXPECT(brute_deal(&ceiling, &axis));
  EXPECT(axis.owned[0] == 2 && axis.owned[1] == 2 && axis.owned[2] == 1 && axis.owned[3] == 0);

  const dap_dist dealt = {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 5, .block_size = 3, .first_owner = 1};
  EXPECT(brute_deal(&dealt, &axis)); /* 0 1 2 on 1, 3 4 on 0 */
  EXPECT(axis.owned[1] == 3 && axis.owned[0] == 2 && axis.local[4] == 1 && axis.held[0][0] == 3);
  SETTLE();
}

static void random_distributions_are_legal(void **state)
{
  (void)state;
  test_random random = test_random_init(20), same = test_random_init(20);
  int64_t lengths[BRUTE_PROCS];
  int cuts[DAP_DIST_CYCLIC + 1] = {0}, halos = 0;
  for (int i = 0; i < 2000; i++) {
    const dap_dist dist = random_dist_of(&random, 1 + i % 6, i % 41, lengths);
    EXPECT_MSG(brute_deal(&dist, &axis), "%s", dist_text(&dist));
    cuts[dist.kind]++;
    halos += dist.halo > 0;
  }
  for (int cut = 0; cut <= DAP_DIST_CYCLIC; cut++) EXPECT(cuts[cut] > 300);
  EXPECT(halos > 300);
  int procs[3];
  random_grid(&random, 12, 3, procs);
  EXPECT_INT(procs[0] * procs[1] * procs[2], 12);
  test_random again = test_random_init(20);
  for (int i = 0; i < 10; i++) EXPECT(test_random_bits(&same) == test_random_bits(&again));
  SETTLE();
}

static void parts_of_a_text_are_found(void **state)
{
  (void)state;
  EXPECT(test_contains("axis 1: start 3", "axis 1|start|3"));
  EXPECT(test_contains("axis 1: start 3", "3|axis"));
  EXPECT(test_contains("", ""));
  EXPECT(!test_contains("axis 1: start 3", "axis 1|stop"));
  EXPECT(!test_contains("axis 1: start 3", "axis 2|start"));
  SETTLE();
}

/* Filled buffers must pass the checks, and each kind of damage must be noticed. The recorded failures are
 * forgotten. */
static void damage_is_noticed(void **state)
{
  (void)state;
  const dap_dist dists[] = {{.procs = 1, .size = 3}, {.procs = 2, .size = 6, .halo = 1}};
  test_random random = test_random_init(21);
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  for (int form = FORM_C; form < FORM_COUNT; form++) {
    test_buffer b = test_buffer_make(layout, 1, 4, (test_form)form, &random);
    const dap_array a = test_buffer_array(&b, DAP_I4);
    TEST_CASE("form %d", form);
    fill_global(layout, 1, &a);
    EXPECT(check_global(layout, 1, &a, PADDING_POISON) && check_gaps(&b));
    unsigned char *owned = (unsigned char *)b.data + b.strides[0] + b.strides[1], *padding = b.data;
    EXPECT(!test_quiet(check_global(layout, 1, &a, PADDING_FILLED)));
    padding[3] ^= 1;
    EXPECT(check_global(layout, 1, &a, PADDING_ANY));
    EXPECT(!test_quiet(check_global(layout, 1, &a, PADDING_POISON)));
    owned[3] ^= 1;
    EXPECT(!test_quiet(check_global(layout, 1, &a, PADDING_ANY)));
    b.memory[b.bytes - 1] ^= 1;
    EXPECT(!test_quiet(check_gaps(&b)));
    test_buffer_free(&b);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static void elements_hold_their_index(void **state)
{
  (void)state;
  double complex_[2];
  float real;
  int16_t small;
  unsigned char bytes[9];
  value_of(DAP_C16, 6, complex_);
  value_of(DAP_F4, 6, &real);
  value_of(DAP_I2, 70000, &small);
  bytes_of(9, 0x0102, bytes);
  EXPECT(complex_[0] == 7.0 && complex_[1] == 7.5 && real == 7.0f && small == 70001 - 65536);
  EXPECT(bytes[0] == 3 && bytes[1] == 1 && bytes[2] == 0 && bytes[8] == 0x18);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_brute_model_deals_as_by_hand), cmocka_unit_test(random_distributions_are_legal),
    cmocka_unit_test(parts_of_a_text_are_found),        cmocka_unit_test(damage_is_noticed),
    cmocka_unit_test(elements_hold_their_index),
};

MPI_TEST_MAIN(tests)
