/* Tests sub-matrices, and two axes of an array with any number of axes as a matrix. Elements that are
 * written through a view must be in the array where the brute-force model has them, and no others may
 * change. */
#include "case.h"
#include "mpi_test.h"
#include "operand.h"

#include <dapbridge/pblas_calls.h>

typedef struct row {
  case_layout array;
  test_form form;
  int axes[2]; /* of the matrix, -1: one of a single element; {0, 0}: the last two, not given */
  enum { MOVED, SHARED, ALONE /* shared on one process */, SEVERAL /* or on several */ } is;
  char op;
  bool planes;                /* at each index along the other axes, else at `index` */
  int64_t index[CASE_NDIM];   /* along the others */
  int64_t start[2], shape[2]; /* along the two; 0: all that is left */
  const char *routine;
} row;

/* clang-format off */
static const row rows[] = {
  {{"a vector is a column", 1, {23}, .cut = {CUT_CYCLIC}, .block = {3}}, FORM_C, {0}, SHARED, .op = 'N'},
  {{"a vector as a row", 1, {23}, .cut = {CUT_CYCLIC}, .block = {3}}, FORM_C, {-1, 0}, SHARED, .op = 'N'},
  {{"the last two axes of three", 3, {3, 17, 14}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}}, FORM_C, {0},
   SHARED, 'T', .index = {1}},
  {{"a slab of a distributed axis", 3, {11, 8, 9}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, FORM_C, {1, 2},
   SHARED, 'T', .index = {5}},
  {{"a plane of four axes", 4, {2, 3, 9, 8}, THIRD_AXIS, .cut = {CUT_EVEN, CUT_EVEN, CUT_CYCLIC, CUT_CYCLIC},
    .block = {0, 0, 2, 8}}, FORM_C, {2, 3}, SHARED, 'T', .index = {1, 2}, .routine = "getrf"},

  /* These rows walk through all planes. */
  {{"a[:, i, :]", 3, {9, 4, 9}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_CYCLIC, CUT_EVEN, CUT_CYCLIC}}, FORM_C,
   {0, 2}, SHARED, 'T', .planes = true},
  {{"a[:, i, :], F order", 3, {9, 4, 9}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_CYCLIC, CUT_EVEN, CUT_CEIL}},
   FORM_F, {0, 2}, SHARED, 'N', .planes = true},
  {{"its transpose", 3, {9, 4, 9}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_CYCLIC, CUT_EVEN, CUT_CYCLIC}},
   FORM_C, {2, 0}, SHARED, 'N', .planes = true},
  {{"a[i, :, :], i spread", 3, {5, 8, 8}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_CEIL, CUT_EVEN, CUT_CYCLIC}},
   FORM_C, {1, 2}, SHARED, 'T', .planes = true},
  {{"rotated blocks", 3, {5, 7, 12}, SECOND_AXIS | THIRD_AXIS, .cut = {CUT_EVEN, CUT_ROTATED, CUT_ROTATED}},
   FORM_C, {1, 2}, SHARED, 'T', .planes = true},
  {{"each on one process", 3, {11, 6, 6}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, FORM_C, {1, 2}, SHARED, 'T',
   .planes = true},
  {{"listed planes", 3, {6, 6, 7}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_CEIL, CUT_EVEN, CUT_LOTS}}, FORM_C,
   {0, 1}, MOVED, 'T', .planes = true},
  {{"listed planes, i first", 3, {7, 6, 6}, FIRST_AXIS | SECOND_AXIS, .cut = {CUT_LOTS, CUT_CEIL}}, FORM_C,
   {1, 2}, SHARED, 'T', .planes = true},
  {{"no axis is contiguous", 3, {8, 8, 3}, FIRST_AXIS, .cut = {CUT_CEIL}}, FORM_C, {0, 1}, MOVED, 'T',
   .planes = true},
  {{"padded planes", 3, {12, 3, 12}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_PADDED, CUT_EVEN, CUT_PADDED},
    .halo = {1, 0, 1}}, FORM_C, {0, 2}, SHARED, 'T', .planes = true},
  {{"padding between planes", 3, {8, 8, 10}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_CYCLIC, CUT_EVEN,
   CUT_PADDED},
    .halo = {0, 0, 1}}, FORM_F, {0, 1}, SHARED, 'N', .planes = true},
  {{"uneven blocks", 3, {13, 3, 13}, FIRST_AXIS, .cut = {CUT_IRREGULAR}}, FORM_C, {0, 2}, ALONE, 'T',
   .planes = true},
  {{"uneven in i only", 3, {13, 5, 4}, FIRST_AXIS | SECOND_AXIS, .cut = {CUT_IRREGULAR, CUT_CEIL}}, FORM_C,
   {1, 2}, SHARED, 'T', .planes = true},
  {{"a[i, :, j, :]", 4, {3, 7, 2, 7}, SECOND_AXIS | FOURTH_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC, CUT_EVEN,
   CUT_CYCLIC}},
   FORM_C, {1, 3}, SHARED, 'T', .planes = true},
  {{"a[:, i, :, j], F order, i spread", 4, {6, 4, 6, 3}, SECOND_AXIS | THIRD_AXIS,
    .cut = {CUT_EVEN, CUT_CYCLIC, CUT_ROTATED}}, FORM_F, {0, 2}, SHARED, 'N', .planes = true},
  {{"a[:, i, j, :], both spread", 4, {5, 3, 4, 8}, SECOND_AXIS | THIRD_AXIS, .cut = {CUT_EVEN, CUT_CEIL,
   CUT_ROTATED}},
   FORM_C, {0, 3}, SHARED, 'T', .planes = true},
  {{"a[i, j, :, :], padded", 4, {6, 2, 6, 6}, FIRST_AXIS | THIRD_AXIS, .cut = {CUT_PADDED, CUT_EVEN,
   CUT_PADDED}, .halo = {1, 0, 1}}, FORM_C, {2, 3}, SHARED, 'T', .planes = true},

  /* Sub-matrices. */
  {{"a sub-matrix from a block on", 2, {24, 24}, FIRST_AXIS, .cut = {CUT_CYCLIC}, .block = {4}}, FORM_C, {0},
   SEVERAL, 'T', .start = {8, 4}, .shape = {9, 20}, .routine = "getrf"},
  {{"a sub-matrix from inside a block", 2, {24, 24}, FIRST_AXIS, .cut = {CUT_CYCLIC}, .block = {4}}, FORM_C,
   {0},
   MOVED, 'T', .start = {9}, .shape = {8}, .routine = "getrf"},
  {{"the same for a routine that takes it", 2, {24, 24}, FIRST_AXIS, .cut = {CUT_CYCLIC}, .block = {4}},
   FORM_C,
   {0}, SHARED, 'T', .start = {9, 3}, .shape = {8}, .routine = "pdgemm"},
  {{"a sub-matrix of a symmetric one", 2, {24, 24}, FIRST_AXIS, .cut = {CUT_CYCLIC}, .block = {4}}, FORM_C,
   {0},
   MOVED, 'T', .start = {8}, .shape = {8, 8}, .routine = "pdsyev"},
  {{"a square part of an oblong array", 2, {40, 30}, FIRST_AXIS, .cut = {CUT_CYCLIC}, .block = {3}}, FORM_F,
   {0}, SHARED, 'N', .shape = {30, 30}, .routine = "pdpotrf"},
  {{"a column of a sub-matrix", 2, {24, 5}, FIRST_AXIS, .cut = {CUT_CYCLIC}, .block = {4}}, FORM_F, {0},
   SHARED,
   'N', .start = {4, 2}, .shape = {0, 1}, .routine = "gemv"},
};
/* clang-format on */

/* A row with the numbers of its part. */
typedef struct section {
  const row *row;
  dap_dtype dtype;
  test_side side;
  int axes[2]; /* -1: none */
  int64_t start[CASE_NDIM], shape[CASE_NDIM], extents[2];
} section;

static section make(const row *r, dap_dtype dtype, random_array *array)
{
  test_random random = test_random_init(5);
  section s = {
      .row = r, .dtype = dtype, .side = case_side(&r->array, dap_dtype_size(dtype), r->form, &random, array)};
  const int ndim = r->array.ndim, last = ndim > 2 ? ndim - 2 : 0;
  const bool is_given = r->axes[0] != r->axes[1];
  for (int k = 0; k < ndim; k++) {
    s.start[k] = r->index[k];
    s.shape[k] = 1;
  }
  for (int j = 0; j < 2; j++) {
    s.axes[j] = is_given ? r->axes[j] : j && ndim == 1 ? -1 : last + j;
    s.extents[j] = 1;
    if (s.axes[j] < 0) continue;
    const int64_t rest = r->array.size[s.axes[j]] - r->start[j];
    s.start[s.axes[j]] = r->start[j];
    s.shape[s.axes[j]] = s.extents[j] = r->shape[j] ? r->shape[j] : rest;
  }
  return s;
}

/* Goes to the next plane. Returns false if there is none. */
static bool next_plane(section *s)
{
  for (int k = s->row->array.ndim - 1; k >= 0 && s->row->planes; k--) {
    if (k == s->axes[0] || k == s->axes[1]) continue;
    if (++s->start[k] < s->row->array.size[k]) return true;
    s->start[k] = 0;
  }
  return false;
}

enum { OUTSIDE = -7 };

/* The value of an element of the part after walk_part(). OUTSIDE: the element is not in the part. */
static double value_at(const section *s, const int64_t global[], char op)
{
  int64_t place[2] = {0, 0}; /* in the part, along the two axes */
  for (int k = 0; k < s->row->array.ndim; k++)
    if (global[k] < s->start[k] || global[k] >= s->start[k] + s->shape[k]) return OUTSIDE;
  for (int j = 0; j < 2; j++)
    if (s->axes[j] >= 0) place[j] = global[s->axes[j]] - s->start[s->axes[j]];
  return 1 + 1000.0 * (double)place[op == 'T'] + (double)place[op == 'N'];
}

static void fill(const section *s)
{
  const double outside[2] = {OUTSIDE, -OUTSIDE};
  side_poison(&s->side);
  for (brute_walk w = brute_walk_start(&s->side.array->model, test_rank()); !w.done; brute_walk_next(&w))
    if (w.part == BRUTE_OWNED) memcpy(side_place(&s->side, &w), outside, (size_t)dap_dtype_size(s->dtype));
}

static void check_array(const section *s, char op)
{
  for (brute_walk w = brute_walk_start(&s->side.array->model, test_rank()); !w.done; brute_walk_next(&w)) {
    const double value = value_at(s, w.global, op);
    double want[2] = {value, -value};
    if (w.part != BRUTE_OWNED) memset(want, TEST_POISON, sizeof want);
    if (!EXPECT_MSG(!memcmp(side_place(&s->side, &w), want, (size_t)dap_dtype_size(s->dtype)),
                    "element %d is not %g", (int)w.flat, value))
      break;
  }
  check_gaps(&s->side.buffer);
}

/* Sets elements of the view's part to `set` times v = 1 + 1000 i + j, or with 0 counts those that are not v.
 * A complex element is v - v i. */
static int64_t walk_part(const dap_scalapack_matrix *m, int64_t itemsize, double set)
{
  int64_t wrong = 0;
  for (element_walk w = walk_elements(m, itemsize); next_element(&w);) {
    const double value = 1 + 1000.0 * (double)w.i + (double)w.j, want[2] = {value, -value};
    double *number = w.element;
    for (int p = 0; p < itemsize / 8; p++) {
      if (set != 0) number[p] = set * want[p];
      wrong += set == 0 && number[p] != want[p];
    }
  }
  return wrong;
}

/* Negates the part with PBLAS, which reaches every element of the part and no other. */
static void negate(const section *s, dap_scalapack_matrix *m)
{
  const double zero[2] = {0, 0}, minus[2] = {-1, 0};
  if (m->desc[1] >= 0)
    (s->dtype == DAP_C16 ? pzgeadd_ : pdgeadd_)("N", &m->m, &m->n, zero, m->data, &m->ia, &m->ja, m->desc,
                                                minus, m->data, &m->ia, &m->ja, m->desc);
}

/* Tries a view of an array in one of both byte orders. Its elements are read first or not. */
static void use_view(const section *s, bool swapped, dap_access access)
{
  const row *r = s->row;
  dap_array local = test_buffer_array(&s->side.buffer, s->dtype);
  const dap_darray array = {s->side.layout, &local};
  const bool is_given = r->axes[0] != r->axes[1];
  const dap_part part = {
      .naxes = is_given ? 2 : 0, .axes = is_given ? r->axes : NULL, .start = s->start, .shape = s->shape};
  const dap_scalapack_options options = {.routine = r->routine, .part = part};
  const bool shares =
      !swapped && (r->is == SHARED || (test_nprocs() == 1 ? r->is == ALONE : r->is == SEVERAL));
  dap_scalapack_matrix m;
  dap_error err = {0};
  fill(s);
  if (swapped) turn_array(&local);
  EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, array, access, &options, &m, &err), &err);
  EXPECT_MSG(m.shared == shares, "%s: %s", m.shared ? "shared" : "moved", m.reason);
  EXPECT_INT(m.op, r->op);
  EXPECT_INT(m.m, s->extents[m.op == 'T']);
  EXPECT_INT(m.n, s->extents[m.op == 'N']);
  const char op = m.op;
  (void)walk_part(&m, dap_dtype_size(s->dtype), -1);
  negate(s, &m);
  operand_restore(&m);
  EXPECT(!shares || m.moved_bytes == 0);
  if (swapped) turn_array(&local);
  check_array(s, op);
  EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, array, DAP_READ, &options, &m, &err), &err);
  EXPECT_INT(walk_part(&m, dap_dtype_size(s->dtype), 0), 0);
  EXPECT_OK(dap_scalapack_discard(&m, &err), &err);
}

/* Complex elements are tried in one plane. */
static void parts_of_arrays_are_matrices(void **state)
{
  (void)state;
  static random_array array;
  for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    const row *r = &rows[i / 2];
    const dap_dtype dtype = i % 2 ? DAP_C16 : DAP_F8;
    if (i % 2 && !r->planes) continue;
    section s = make(r, dtype, &array);
    int planes = 0;
    do {
      for (int variant = 0; variant < 4; variant++) {
        const dap_access access = variant / 2 ? DAP_WRITE : DAP_READ_WRITE;
        TEST_CASE("%s, %s, plane %d, swapped %d, access %d", r->array.why, dap_dtype_name(dtype), planes,
                  variant % 2, (int)access);
        use_view(&s, variant % 2, access);
        SETTLE();
      }
      planes++;
    } while (dtype == DAP_F8 && next_plane(&s));
    EXPECT(planes > 1 || !r->planes || dtype == DAP_C16);
    side_free(&s.side);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_arrays_are_matrices)};
MPI_TEST_MAIN(tests)
