/* The harness itself: what is tried, that arrays are gathered as they are, and that harm is seen. */
#include "harness_impl.h"

/* ---- trials --------------------------------------------------------------------------------------- */

/* Each source on each grid, each size with each type; and of the order that the set promises. */
static void trials_cover(void **state)
{
  (void)state;
  for (int set = TRIALS_SQUARE; set <= TRIALS_ANY; set++) {
    static bool met[64][8]; /* source, rows of the grid */
    int pairs = 0, empty = 0, types = 0, count = 0;
    memset(met, 0, sizeof met);
    for (trial t = {0}; trial_next(&t, (trial_set)set); count++) {
      bool *this_one = &met[t.source - sources][t.grid[0]];
      EXPECT_INT(t.grid[0] * t.grid[1], test_nprocs());
      EXPECT(set != TRIALS_SQUARE || t.size[0] == t.size[1]);
      EXPECT(set != TRIALS_TALL || t.size[0] >= t.size[1]);
      pairs += !*this_one;
      *this_one = true;
      empty += t.size[0] == 0;
      types |= 1 << (t.type - element_types);
    }
    const int all = test_nprocs() == 1 ? 1 : test_nprocs() == 4 ? 3 : 2; /* on 6 processes 2 of 4 */
    const int grids = test_scale() > 1 && test_nprocs() < 6 ? (all + 1) / 2 : all;
    EXPECT(pairs >= source_count * grids);
    for (int p = 1; p <= test_nprocs(); p++) {
      int on_grid = 0;
      for (int s = 0; s < source_count; s++) on_grid += met[s][p];
      EXPECT(test_nprocs() % p ? on_grid == 0 : on_grid >= source_count / 2);
    }
    EXPECT_INT(types, 15);
    EXPECT(empty >= ELEMENT_TYPES);
    EXPECT_MSG(count <= 190, "%d trials are too many", count);
  }
  SETTLE();
}

/* ---- arrays --------------------------------------------------------------------------------------- */

/* The array is gathered as the formula says, and nothing of it counts as changed. */
static void expect_gathered(matrix *m, formula *entry)
{
  double complex *whole = matrix_whole(m), *want = whole_make(m->size[0], m->size[1], entry, m->type);
  const size_t bytes = (size_t)(m->size[0] * m->size[1]) * sizeof *want;
  EXPECT(bytes == 0 || !memcmp((char *)whole, (char *)want, bytes));
  expect_padding(m);
  expect_same(m);
  EXPECT(!matrix_changed(m));
  free(whole);
  free(want);
  matrix_free(m);
}

static void arrays_are_gathered(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    matrix a = trial_matrix(&t, t.size[0], t.size[1], entry_any);
    matrix b = trial_other(&t, t.size[1], t.size[0], entry_dominant);
    matrix v = trial_vector(&t, t.size[0], false, entry_any);
    matrix w = trial_vector(&t, t.size[1], true, entry_any);
    dap_error err = {0};
    EXPECT_OK(dap_array_check(&a.array, &err), &err);
    EXPECT_OK(dap_array_check(&v.array, &err), &err);
    EXPECT_INT(dap_layout_ndim(v.layout), 1);
    EXPECT(!w.type->is_complex);
    expect_gathered(&a, entry_any);
    expect_gathered(&b, entry_dominant);
    expect_gathered(&v, entry_any);
    expect_gathered(&w, entry_any);
    SETTLE();
  }
}

static matrix make_named(const char *name, const element_type *type)
{
  int s = 0;
  while (s < source_count - 1 && strcmp(sources[s].name, name) != 0) s++;
  EXPECT_MSG(!strcmp(sources[s].name, name), "no source %s", name);
  return matrix_make(&sources[s], type, 2, (const int64_t[2]){20, 17}, (const int[2]){1, test_nprocs()},
                     entry_any);
}

static void bytes_are_turned(void **state)
{
  (void)state;
  matrix m = make_named("C, bytes swapped", element_type_of(DAP_C8));
  matrix_set(&m, 3, 2, CMPLX(1, -2)); /* 0x3F800000, 0xC0000000 */
  const unsigned char want[2][8] = {{0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0}, {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}};
  const uint16_t one = 1;
  const int little = *(const unsigned char *)&one;
  for (place p = {0}; place_next(&m, &p);)
    if (p.i == 3 && p.j == 2) EXPECT(!memcmp(p.element, want[little ? 0 : 1], 8));
  matrix_free(&m);
  SETTLE();
}

/* ---- harm ----------------------------------------------------------------------------------------- */

/* Each byte of the buffer, harmed alone: one of an element is seen by expect_same() only, any other by
 * expect_padding() too. */
static void harm_is_seen(void **state)
{
  (void)state;
  const char *const names[] = {"C, padded", "F, padded", "C, wide rows", "C, gaps", "C, odd address"};
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
    matrix m = make_named(names[n], element_type_of(DAP_F4));
    int64_t guarded = 0, owned = 0;
    for (place p = {0}; place_next(&m, &p);) owned += m.buffer.itemsize;
    for (int64_t i = 0; i < m.buffer.bytes; i += 1 + i % 3) {
      m.buffer.memory[i] ^= 1;
      EXPECT(!test_quiet(expect_same(&m)));
      guarded += !test_quiet(expect_padding(&m));
      m.buffer.memory[i] ^= 1;
    }
    EXPECT_MSG(guarded > 0, "%s: nothing is guarded", names[n]);
    EXPECT(owned < m.buffer.bytes);
    matrix_free(&m);
    SETTLE();
  }
}

/* The element beside an owned one in padding is NaN, and writing it is seen. */
static void padding_is_nan(void **state)
{
  (void)state;
  matrix m = make_named("F, padded", element_type_of(DAP_F8));
  int64_t nans = 0, count = 0, held = 0;
  for (int64_t j = 0; j < m.array.shape[1]; j++)
    for (int64_t i = 0; i < m.array.shape[0]; i++, count++) {
      const char *element = (const char *)m.array.data + i * m.array.strides[0] + j * m.array.strides[1];
      nans += isnan(creal(element_load(DAP_F8, element))) != 0;
    }
  for (place p = {0}; place_next(&m, &p);) held++;
  EXPECT_INT(nans, count - held);
  EXPECT(test_nprocs() == 1 || nans > 0);
  matrix_free(&m);
  SETTLE();
}

static void copies_must_agree(void **state)
{
  (void)state;
  const source copies = {"copies", "", {{CUT_COPIES, 0}}, 'C', MEMORY_PLAIN, false, false, false};
  matrix m = matrix_make(&copies, element_type_of(DAP_F8), 1, (const int64_t[2]){5, 1},
                         (const int[2]){test_nprocs(), 1}, entry_any);
  EXPECT_INT(m.array.shape[0], 5);
  double complex *whole = matrix_whole(&m);
  for (place p = {0}; place_next(&m, &p);)
    if (!p.owned && p.i == 3) place_store(&m, &p, 77);
  EXPECT(test_quiet(expect_copies(&m, whole)) == (test_rank() == 0));
  EXPECT(matrix_changed(&m) == (test_nprocs() > 1));
  free(whole);
  matrix_free(&m);
  SETTLE();
}

/* ---- reports -------------------------------------------------------------------------------------- */

static void reports_are_checked(void **state)
{
  (void)state;
  matrix m = make_named("C, blocks 5 x 5", element_type_of(DAP_F8));
  const dap_linalg_report good = {.count = 1, .uses = {{"A", true, 0, "why"}}};
  EXPECT(expect_use(&good, 0, "A", &m, 1));
  EXPECT(expect_use(&good, 0, "A", &m, -1));
  dap_linalg_report bad = good;
  EXPECT(!test_quiet(expect_use(&good, 1, "B", &m, -1)));
  EXPECT(!test_quiet(expect_use(&good, 0, "B", &m, -1)));
  EXPECT(!test_quiet(expect_use(&good, 0, "A", &m, 0)));
  bad.uses[0].moved_bytes = test_rank() == test_nprocs() - 1; /* seen by all */
  EXPECT(!test_quiet(expect_use(&bad, 0, "A", &m, -1)));
  bad = good;
  bad.uses[0].shared = false;
  EXPECT(!test_quiet(expect_use(&bad, 0, "A", &m, -1)));
  bad = good;
  bad.uses[0].reason[0] = 0;
  EXPECT(!test_quiet(expect_use(&bad, 0, "A", &m, -1)));
  EXPECT(!test_quiet(expect_work(&m, &good.uses[0], false, true)));
  EXPECT(expect_work(&m, &good.uses[0], true, true));
  for (place p = {0}; place_next(&m, &p);) place_store(&m, &p, 1);
  EXPECT(expect_work(&m, &good.uses[0], false, true));
  EXPECT(m.array.shape[1] == 0 || !test_quiet(expect_work(&m, &good.uses[0], true, true)));
  matrix_free(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(trials_cover),        cmocka_unit_test(arrays_are_gathered),
    cmocka_unit_test(bytes_are_turned),    cmocka_unit_test(harm_is_seen),
    cmocka_unit_test(padding_is_nan),      cmocka_unit_test(copies_must_agree),
    cmocka_unit_test(reports_are_checked),
};
MPI_TEST_MAIN(tests)
