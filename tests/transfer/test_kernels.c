/* Compares blocks that the copy kernels write with copies that are made element by element. Each set of
 * kernels that this processor can run is tested. Nothing around the destination's elements may change.
 * Private: plans use only the best set of kernels. */
#include "kernel_memory.h"
#include "mpi_test.h"
#include "transfer_impl.h"

enum { RANDOM_CASES = 3000 };

/* ---- blocks ------------------------------------------------------------------------------------- */

/* One side of a block: which axis is the inner one, its steps in elements, and bytes added to its rows. */
typedef struct side {
  int inner;
  int64_t step, pad;
  bool backwards[2];
} side;

/* Rows begin at multiples of a line. */
enum { WHOLE_LINES = -1 };

/* Steps of a side; returns the bytes that it covers. The first element's offset is in *first. */
static int64_t lay_out(const side *at, const int64_t n[2], int64_t itemsize, int64_t steps[2], int64_t *first)
{
  const int inner = at->inner, outer = 1 - at->inner;
  int64_t row = n[inner] * at->step * itemsize;
  row += at->pad == WHOLE_LINES ? (64 - row % 64) % 64 : at->pad;
  steps[inner] = at->step * itemsize;
  steps[outer] = row;
  int64_t bytes = itemsize;
  *first = 0;
  for (int k = 0; k < 2; k++) {
    if (n[k] == 0) return 0;
    bytes += (n[k] - 1) * steps[k];
    if (!at->backwards[k]) continue;
    *first += (n[k] - 1) * steps[k];
    steps[k] = -steps[k];
  }
  return bytes;
}

typedef struct block_case {
  side from, to;
  int64_t n[2], itemsize;
  size_t from_offset, to_offset;
  bool stream;
} block_case;

static void check_block(const dap_kernels *set, const block_case *c)
{
  dap_nest block = {.bytes = c->itemsize}, sorted;
  int64_t from_step[2], to_step[2];
  place from =
      place_source((size_t)lay_out(&c->from, c->n, c->itemsize, from_step, &block.from), c->from_offset, 1);
  place to = place_destination((size_t)lay_out(&c->to, c->n, c->itemsize, to_step, &block.to), c->to_offset);
  place want = place_expected(&to);
  for (int64_t i = 0; i < c->n[0]; i++)
    for (int64_t j = 0; j < c->n[1]; j++)
      memcpy(want.start + block.to + i * to_step[0] + j * to_step[1],
             from.start + block.from + i * from_step[0] + j * from_step[1], (size_t)c->itemsize);
  for (int k = 0; k < 2; k++) dap_nest_add(&block, c->n[k], from_step[k], to_step[k]);
  dap_nest_sort(&block, &sorted);
  dap_nest_widen(&sorted);
  dap_nest_copy(set, &sorted, from.start, to.start, c->stream);
  set->fence();
  place_check(&to, &want);
  place_free(&from);
  place_free(&to);
  place_free(&want);
}

static const struct form {
  const char *why;
  side from, to;
} forms[] = {
    {"one run", {1, 1, 0, {0}}, {1, 1, 0, {0}}},
    {"one run, axis 0 inside", {0, 1, 0, {0}}, {0, 1, 0, {0}}},
    {"rows into a matrix", {1, 1, 0, {0}}, {1, 1, WHOLE_LINES, {0}}},
    {"rows out of a matrix", {0, 1, 40, {0}}, {0, 1, 0, {0}}},
    {"rows backwards", {1, 1, 0, {true, false}}, {1, 1, 8, {0}}},
    {"elements of rows backwards on both sides", {1, 1, 0, {true, true}}, {1, 1, 8, {true, true}}},
    {"elements of rows backwards on one side", {1, 1, 0, {0}}, {1, 1, 0, {false, true}}},
    {"transposed", {0, 1, 0, {0}}, {1, 1, 0, {0}}},
    {"transposed, the other order", {1, 1, 0, {0}}, {0, 1, 0, {0}}},
    {"transposed to whole lines", {0, 1, 0, {0}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed to whole lines, the other order", {1, 1, WHOLE_LINES, {0}}, {0, 1, WHOLE_LINES, {0}}},
    {"transposed, destination padded by less than a line", {0, 1, 0, {0}}, {1, 1, 16, {0}}},
    {"transposed, odd padding", {0, 1, 3, {0}}, {1, 1, 5, {0}}},
    {"transposed, source's lines backwards", {0, 1, 0, {false, true}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed, source's elements backwards", {0, 1, 0, {true, false}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed, destination backwards", {0, 1, 0, {0}}, {1, 1, WHOLE_LINES, {true, true}}},
    {"gathered at 2", {1, 2, 0, {0}}, {1, 1, 0, {0}}},
    {"gathered at 3, axis 0 inside", {0, 3, 0, {0}}, {0, 1, WHOLE_LINES, {0}}},
    {"gathered backwards", {1, 5, 8, {false, true}}, {1, 1, 0, {0}}},
    {"spread at 2", {1, 1, 0, {0}}, {1, 2, 0, {0}}},
    {"spread at 4, axis 0 inside", {0, 1, 0, {0}}, {0, 4, 0, {0}}},
    {"strided on both sides", {1, 2, 1, {0}}, {1, 3, 7, {0}}},
    {"transposed, source strided", {0, 2, 0, {0}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed, destination strided", {0, 1, 0, {0}}, {1, 2, WHOLE_LINES, {true, false}}},
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static const int64_t extents[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130};
enum { EXTENTS = sizeof(extents) / sizeof(extents[0]) };

static void name_block(const dap_kernels *set, const char *why, const block_case *c)
{
  TEST_CASE("%s, %s: %d x %d of %d bytes, offsets %d and %d%s, inner %d to %d, steps %d and %d, seed %llu",
            set->name, why, (int)c->n[0], (int)c->n[1], (int)c->itemsize, (int)c->from_offset,
            (int)c->to_offset, c->stream ? ", streaming" : "", c->from.inner, c->to.inner, (int)c->from.step,
            (int)c->to.step, (unsigned long long)test_seed());
}

/* Every form of every shape: of all but the small ones one in test_scale(), of the large ones one in four of
 * these. Offsets are drawn. */
static void check_form(const dap_kernels *set, const struct form *form, int64_t itemsize, test_random *random)
{
  for (int a = 0; a < EXTENTS; a++)
    for (int b = 0; b < EXTENTS; b++)
      for (int stream = 0; stream < 2; stream++) {
        if (extents[a] * extents[b] > 2000 && !test_random_one_in(random, 4)) continue;
        if (extents[a] * extents[b] > 81 && !test_random_one_in(random, test_scale())) continue;
        const block_case c = {.from = form->from,
                              .to = form->to,
                              .n = {extents[a], extents[b]},
                              .itemsize = itemsize,
                              .from_offset = kernel_offsets[test_random_int(random, 0, KERNEL_OFFSETS - 1)],
                              .to_offset = kernel_offsets[test_random_int(random, 0, KERNEL_OFFSETS - 1)],
                              .stream = stream == 1};
        name_block(set, form->why, &c);
        check_block(set, &c);
      }
}

static void copies_blocks(void **state)
{
  (void)state;
  test_random random = test_random_init(40);
  for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
    if (!(*set)->is_usable()) continue;
    for (int f = 0; f < FORMS; f++)
      for (int s = 0; s < KERNEL_ITEMSIZES; s++) check_form(*set, &forms[f], kernel_itemsizes[s], &random);
    SETTLE();
  }
}

static side random_side(test_random *random)
{
  return (side){.inner = (int)test_random_int(random, 0, 1),
                .step = test_random_one_in(random, 2) ? 1 : test_random_int(random, 1, 9),
                .pad = test_random_one_in(random, 2) ? WHOLE_LINES : test_random_int(random, 0, 80),
                .backwards = {test_random_one_in(random, 5), test_random_one_in(random, 5)}};
}

static void copies_random_blocks(void **state)
{
  (void)state;
  test_random random = test_random_init(41);
  for (int i = 0; i < test_cases(RANDOM_CASES); i++) {
    const int64_t longest = test_random_one_in(&random, 500) ? 2500 : 60;
    const block_case c = {.from = random_side(&random),
                          .to = random_side(&random),
                          .n = {test_random_int(&random, 0, longest), test_random_int(&random, 0, 60)},
                          .itemsize = test_random_one_in(&random, 2)
                                          ? INT64_C(4) << test_random_int(&random, 0, 2)
                                          : test_random_int(&random, 1, 140),
                          .from_offset = (size_t)test_random_int(&random, 0, 63),
                          .to_offset = kernel_offsets[test_random_int(&random, 0, KERNEL_OFFSETS - 1)],
                          .stream = test_random_one_in(&random, 2)};
    for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
      if (!(*set)->is_usable()) continue;
      name_block(*set, "random", &c);
      check_block(*set, &c);
    }
  }
  SETTLE();
}

/* More than one panel along both axes. */
static void copies_large_blocks(void **state)
{
  (void)state;
  for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
    if (!(*set)->is_usable()) continue;
    for (int f = 0; f < FORMS; f++)
      for (int s = 0; s < 6; s++) {
        const block_case c = {.from = forms[f].from,
                              .to = forms[f].to,
                              .n = {s % 2 ? 37 : 1090, s % 2 ? 2053 : 45},
                              .itemsize = INT64_C(4) << s / 2,
                              .from_offset = 16,
                              .to_offset = 16,
                              .stream = true};
        name_block(*set, forms[f].why, &c);
        check_block(*set, &c);
      }
  }
  SETTLE();
}

/* ---- the choice --------------------------------------------------------------------------------- */

static void best_is_first_usable(void **state)
{
  (void)state;
  const dap_kernels *const *all = dap_kernels_all();
  int count = 0, first = -1;
  for (; all[count]; count++)
    if (first < 0 && all[count]->is_usable()) first = count;
  EXPECT(count > 0 && all[count - 1]->is_usable());
  EXPECT(count > 0 && strcmp(all[count - 1]->name, "plain") == 0);
  EXPECT(first >= 0 && dap_kernels_best() == all[first]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_blocks),
    cmocka_unit_test(copies_random_blocks),
    cmocka_unit_test(copies_large_blocks),
    cmocka_unit_test(best_is_first_usable),
};
MPI_TEST_MAIN(tests)
