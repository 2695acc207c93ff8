/* Batches: every plane of an array of 3 or 4 axes, one after the other, as a matrix in the array's own
 * buffer. Sharing is shown by the address of each element, and by what PBLAS does: it changes its plane of
 * one array, no other element, and no element of the arrays that are only read. Where elements are is dealt
 * out by brute.h. */
#include "case.h"
#include "mpi_test.h"

#include <complex.h>
#include <dapbridge/scalapack_calls.h>

/* How an axis is cut; 'r' and 'c' are the two extents of the process grid, 'a' all processes. */
typedef struct cut {
  int64_t size;
  char procs; /* '1', 'r', 'c' or 'a' */
  case_cut kind;
} cut;

enum { ALWAYS, NEVER, ALONE /* shared on one process */ };

#define WHOLE(size)                                                                                          \
  {                                                                                                          \
    size, '1', CUT_CEIL                                                                                      \
  }
#define CUT(size, procs, kind)                                                                               \
  {                                                                                                          \
    size, procs, kind                                                                                        \
  }
#define ROW(why, form, row, column, shared, op, ...)                                                         \
  {                                                                                                          \
    why, FORM_##form, {row, column}, shared, op,                                                             \
    {                                                                                                        \
      __VA_ARGS__                                                                                            \
    }                                                                                                        \
  }

static const struct {
  const char *why;
  test_form form;
  int axes[2]; /* of the plane: the matrix's rows and columns, where op is 'N' */
  int shared;
  char op; /* where shared */
  cut axis[4];
} rows[] = {
    ROW("a[:, i, :]", C, 0, 2, ALWAYS, 'T', CUT(9, 'r', CUT_CYCLIC), WHOLE(4), CUT(9, 'c', CUT_CYCLIC)),
    ROW("a[:, i, :], F order", F, 0, 2, ALWAYS, 'N', CUT(9, 'r', CUT_CYCLIC), WHOLE(4),
        CUT(9, 'c', CUT_CEIL)),
    ROW("its transpose", C, 2, 0, ALWAYS, 'N', CUT(9, 'r', CUT_CYCLIC), WHOLE(4), CUT(9, 'c', CUT_CYCLIC)),
    ROW("a[i, :, :]", C, 1, 2, ALWAYS, 'T', WHOLE(5), CUT(7, 'r', CUT_ROTATED), CUT(12, 'c', CUT_ROTATED)),
    ROW("a[i, :, :], i spread", C, 1, 2, ALWAYS, 'T', CUT(5, 'r', CUT_CEIL), WHOLE(8),
        CUT(8, 'c', CUT_CYCLIC)),
    ROW("each on one process", C, 1, 2, ALWAYS, 'T', CUT(11, 'a', CUT_CYCLIC), WHOLE(6), WHOLE(6)),
    ROW("listed planes", C, 0, 1, NEVER, 'T', CUT(6, 'r', CUT_CEIL), WHOLE(6), CUT(7, 'c', CUT_LOTS)),
    ROW("listed planes, i first", C, 1, 2, ALWAYS, 'T', CUT(7, 'c', CUT_LOTS), CUT(6, 'r', CUT_CEIL),
        WHOLE(6)),
    ROW("a[:, :, i], F order", F, 0, 1, ALWAYS, 'N', CUT(8, 'r', CUT_CEIL), CUT(11, 'c', CUT_ROTATED),
        WHOLE(5)),
    ROW("a[:, :, i]: no axis is contiguous", C, 0, 1, NEVER, 'T', CUT(8, 'a', CUT_CEIL), WHOLE(8), WHOLE(3)),
    ROW("padded planes", C, 0, 2, ALWAYS, 'T', CUT(12, 'r', CUT_PADDED), WHOLE(3), CUT(12, 'c', CUT_PADDED)),
    ROW("padding between planes", F, 0, 1, ALWAYS, 'N', CUT(8, 'r', CUT_CYCLIC), WHOLE(8),
        CUT(10, 'c', CUT_PADDED)),
    ROW("uneven blocks", C, 0, 2, ALONE, 'T', CUT(13, 'a', CUT_IRREGULAR), WHOLE(3), WHOLE(13)),
    ROW("uneven in i only", C, 1, 2, ALWAYS, 'T', CUT(13, 'r', CUT_IRREGULAR), CUT(5, 'c', CUT_CEIL),
        WHOLE(4)),
    ROW("a[i, :, j, :]", C, 1, 3, ALWAYS, 'T', WHOLE(3), CUT(7, 'r', CUT_CYCLIC), WHOLE(2),
        CUT(7, 'c', CUT_CYCLIC)),
    ROW("a[:, i, :, j], F order, i spread", F, 0, 2, ALWAYS, 'N', WHOLE(6), CUT(4, 'r', CUT_CYCLIC),
        CUT(6, 'c', CUT_ROTATED), WHOLE(3)),
    ROW("a[:, i, j, :], both spread", C, 0, 3, ALWAYS, 'T', WHOLE(5), CUT(3, 'r', CUT_CEIL),
        CUT(4, 'c', CUT_ROTATED), WHOLE(8)),
    ROW("a[i, j, :, :], padded", C, 2, 3, ALWAYS, 'T', CUT(6, 'r', CUT_PADDED), WHOLE(2),
        CUT(6, 'c', CUT_PADDED), WHOLE(6)),
};

/* ---- arrays ----------------------------------------------------------------------------------------- */

enum { A, B, C, ARRAYS };

/* Three arrays with one layout, and all elements of each as they must be, in C order. */
typedef struct batch {
  size_t row;
  int ndim;
  dap_dtype dtype;
  dap_layout *layout;
  test_buffer buffer[ARRAYS];
  dap_array array[ARRAYS];
  double complex *want[ARRAYS];
} batch;

static brute_array model; /* of the batch's layout */

static int extent_of(char procs)
{
  const int n = test_nprocs(), across = n % 2 == 0 ? 2 : 1;
  return procs == 'a' ? n : procs == 'r' ? n / across : procs == 'c' ? across : 1;
}

/* Small whole numbers, so that no sum is rounded: part 0 real, 1 imaginary. */
static double complex entry(const batch *b, int which, int64_t flat)
{
  const double re = (double)((flat * 7 + which * 5) % 11) - 5, im = (double)((flat * 3 + which) % 7) - 3;
  return b->dtype == DAP_C16 ? re + im * I : re;
}

static double complex get(const batch *b, const void *element)
{
  return b->dtype == DAP_C16 ? *(const double complex *)element : *(const double *)element;
}

/* Goes through a buffer: fills it, or checks that elements are as wanted and padding is poison. */
static void go_through(const batch *b, int which, bool fill)
{
  for (brute_walk w = brute_walk_start(&model, test_rank()); !w.done; brute_walk_next(&w)) {
    char *at = b->buffer[which].data;
    for (int k = 0; k < b->ndim; k++) at += w.local[k] * b->buffer[which].strides[k];
    const double complex want = b->want[which][w.flat];
    const size_t item = (size_t)dap_dtype_size(b->dtype);
    if (fill && w.part == BRUTE_OWNED) {
      memcpy(at, &want, item); /* of a real number the first half */
    } else if (w.part == BRUTE_OWNED) {
      EXPECT_MSG(get(b, at) == want, "%c: element %d is %g %+g i, not %g %+g i", "ABC"[which], (int)w.flat,
                 creal(get(b, at)), cimag(get(b, at)), creal(want), cimag(want));
    } else {
      for (size_t byte = 0; byte < item; byte++)
        EXPECT_MSG((unsigned char)at[byte] == TEST_POISON, "%c: padding was written", "ABC"[which]);
    }
  }
  check_gaps(&b->buffer[which]);
}

static batch make(size_t row, dap_dtype dtype)
{
  batch b = {.row = row, .dtype = dtype};
  dap_dist dists[4];
  static random_memory memory[4];
  test_random random = test_random_init(5 + row);
  while (b.ndim < 4 && rows[row].axis[b.ndim].size) {
    const cut *axis = &rows[row].axis[b.ndim];
    dists[b.ndim] = cut_axis(axis->kind, axis->size, extent_of(axis->procs), 1, &random, &memory[b.ndim]);
    b.ndim++;
  }
  dap_error err = {0};
  EXPECT(brute_array_deal(b.ndim, dists, NULL, &model));
  EXPECT_OK(dap_layout_create(b.ndim, dists, &b.layout, &err), &err);
  for (int i = A; i < ARRAYS; i++) {
    b.buffer[i] = test_buffer_make(b.layout, test_rank(), dap_dtype_size(dtype), rows[row].form, &random);
    EXPECT_OK(dap_array_init(&b.array[i], b.layout, test_rank(), dtype,
                             rows[row].form == FORM_F ? DAP_ORDER_F : DAP_ORDER_C, b.buffer[i].memory, &err),
              &err);
    b.array[i].data = b.buffer[i].data;
    b.want[i] = calloc((size_t)model.count, sizeof *b.want[i]);
    for (int64_t flat = 0; flat < model.count; flat++) b.want[i][flat] = entry(&b, i, flat);
    go_through(&b, i, true);
  }
  return b;
}

static void end(batch *b)
{
  for (int i = A; i < ARRAYS; i++) {
    dap_array_release(&b->array[i]);
    test_buffer_free(&b->buffer[i]);
    free(b->want[i]);
  }
  dap_layout_destroy(&b->layout);
}

/* ---- one plane ---------------------------------------------------------------------------------------- */

/* Element (i, j) along the two axes of the plane at `index`: its number in C order. Sets index. */
static int64_t flat_of(const batch *b, int64_t index[], int64_t i, int64_t j)
{
  int64_t flat = 0;
  index[rows[b->row].axes[0]] = i;
  index[rows[b->row].axes[1]] = j;
  for (int k = 0; k < b->ndim; k++) flat = flat * rows[b->row].axis[k].size + index[k];
  return flat;
}

/* Where the array's owner has an element; NULL: on another process. */
static const char *address_of(const batch *b, int which, const int64_t index[])
{
  int64_t local[DAP_MAX_NDIM];
  if (brute_find(&model, index, local) != test_rank()) return NULL;
  const char *at = b->buffer[which].data;
  for (int k = 0; k < b->ndim; k++) at += local[k] * b->buffer[which].strides[k];
  return at;
}

/* Every element of the plane, at the place that the descriptor gives it, against the model. */
static void check_view(const batch *b, int which, const dap_scalapack_matrix *m, int64_t index[])
{
  const cut *axis = rows[b->row].axis;
  const int *axes = rows[b->row].axes;
  dap_scalapack_int grid[4];
  Cblacs_gridinfo(m->desc[1], &grid[0], &grid[1], &grid[2], &grid[3]);
  EXPECT((m->desc[1] < 0) == (grid[2] < 0));
  int64_t seen = 0;
  for (int64_t i = 0; i < axis[axes[0]].size; i++) {
    for (int64_t j = 0; j < axis[axes[1]].size; j++) {
      const int64_t flat = flat_of(b, index, i, j), row = m->op == 'N' ? i : j, col = m->op == 'N' ? j : i;
      const char *own = address_of(b, which, index);
      const bool here =
          grid[2] >= 0 && row / m->desc[4] % grid[0] == grid[2] && col / m->desc[5] % grid[1] == grid[3];
      if (m->shared) EXPECT_MSG(here == (own != NULL), "element %d is elsewhere", (int)flat);
      if (!here) continue;
      const int64_t down = row / m->desc[4] / grid[0] * m->desc[4] + row % m->desc[4];
      const int64_t right = col / m->desc[5] / grid[1] * m->desc[5] + col % m->desc[5];
      const char *at = (const char *)m->data + (right * m->desc[8] + down) * dap_dtype_size(b->dtype);
      EXPECT_MSG(get(b, at) == b->want[which][flat], "element %d has another value", (int)flat);
      if (m->shared) EXPECT_MSG(at == own, "element %d is at another address", (int)flat);
      seen++;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(seen, axis[axes[0]].size * axis[axes[1]].size);
}

/* C = 3 A + 2 C, and where the plane is square then C = A B + C. */
static void compute(const batch *b, const dap_scalapack_matrix m[], bool square)
{
  const bool real = b->dtype == DAP_F8;
  const double one[2] = {1, 0}, two[2] = {2, 0}, three[2] = {3, 0};
  const dap_scalapack_matrix *x = &m[m[C].op == 'T' ? B : A], *y = &m[m[C].op == 'T' ? A : B], *c = &m[C];
  if (c->desc[1] < 0) return;
  (real ? pdgeadd_ : pzgeadd_)("N", &c->m, &c->n, three, m[A].data, &m[A].ia, &m[A].ja, m[A].desc, two,
                               c->data, &c->ia, &c->ja, c->desc);
  if (!square) return;
  (real ? pdgemm_ : pzgemm_)("N", "N", &c->m, &c->n, &c->m, one, x->data, &x->ia, &x->ja, x->desc, y->data,
                             &y->ia, &y->ja, y->desc, one, c->data, &c->ia, &c->ja, c->desc);
}

static void compute_wanted(batch *b, int64_t index[], bool square)
{
  const int64_t m = rows[b->row].axis[rows[b->row].axes[0]].size,
                n = rows[b->row].axis[rows[b->row].axes[1]].size;
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      const int64_t flat = flat_of(b, index, i, j);
      double complex sum = 3 * b->want[A][flat] + 2 * b->want[C][flat];
      for (int64_t k = 0; square && k < n; k++)
        sum += b->want[A][flat_of(b, index, i, k)] * b->want[B][flat_of(b, index, k, j)];
      b->want[C][flat] = sum;
    }
  }
}

static void use_plane(batch *b, int64_t index[])
{
  const int *axes = rows[b->row].axes;
  const bool square = rows[b->row].axis[axes[0]].size == rows[b->row].axis[axes[1]].size;
  const bool shares = rows[b->row].shared == ALWAYS || (rows[b->row].shared == ALONE && test_nprocs() == 1);
  dap_scalapack_matrix m[ARRAYS] = {0};
  dap_error err = {0};
  for (int i = C; i >= A; i--) {
    index[axes[0]] = index[axes[1]] = 0; /* all of them */
    const dap_scalapack_options options = {.part = {.naxes = 2, .axes = axes, .start = index},
                                           .aligned_with = i == C ? NULL : &m[C]};
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){b->layout, &b->array[i]},
                                i == C ? DAP_READ_WRITE : DAP_READ, &options, &m[i], &err),
              &err);
    EXPECT_MSG(m[i].shared == shares, "%s: %s", m[i].shared ? "shared" : "moved", m[i].reason);
    EXPECT_MSG(!shares || m[i].op == rows[b->row].op, "op is %c", m[i].op);
    EXPECT_INT(m[i].desc[1], m[C].desc[1]);
    check_view(b, i, &m[i], index);
  }
  compute(b, m, square);
  compute_wanted(b, index, square);
  for (int i = A; i < ARRAYS; i++) {
    EXPECT_OK(dap_scalapack_restore(&m[i], &err), &err);
    int64_t moved = m[i].moved_bytes;
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_MSG((moved == 0) == shares, "%d bytes moved", (int)moved);
  }
  go_through(b, C, false); /* this plane has its results, the others and all padding are as they were */
}

/* ---- tests --------------------------------------------------------------------------------------------- */

/* The next plane: the indices but those along the matrix's axes, counted up. */
static bool next_plane(const batch *b, int64_t index[])
{
  for (int k = b->ndim - 1; k >= 0; k--) {
    if (k == rows[b->row].axes[0] || k == rows[b->row].axes[1]) continue;
    if (++index[k] < rows[b->row].axis[k].size) return true;
    index[k] = 0;
  }
  return false;
}

static void planes_are_matrices_in_place(void **state)
{
  (void)state;
  for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    batch b = make(i / 2, i % 2 ? DAP_C16 : DAP_F8);
    int64_t index[DAP_MAX_NDIM] = {0};
    int planes = 0;
    do {
      TEST_CASE("%s, %s, plane %d", rows[i / 2].why, dap_dtype_name(b.dtype), planes);
      int64_t at[DAP_MAX_NDIM];
      memcpy(at, index, sizeof at);
      use_plane(&b, at);
      planes++;
    } while (next_plane(&b, index));
    EXPECT(planes > 1);
    go_through(&b, A, false);
    go_through(&b, B, false);
    end(&b);
    SETTLE();
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(planes_are_matrices_in_place)};
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
