/* Plans against ScaLAPACK's own copier, p?gemr2d: parts of block-cyclic matrices on grids of any shapes, on
 * any processes, with leading dimensions larger than needed. Both fill a copy of one destination, which are
 * then the same, byte for byte. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include <dapbridge/plan.h>

#include "mpi_test.h"
#include <dapbridge/scalapack_calls.h>

#include <inttypes.h>

enum { CASES = 60, MOST = 40 /* rows or columns */, PROCS = 6, GAP = 0x5A };

static const struct {
  const char *name;
  int64_t itemsize;
  dap_pgemr2d *gemr2d;
} types[] = {{"double", 8, pdgemr2d_},
             {"double complex", 16, pzgemr2d_},
             {"int", sizeof(dap_scalapack_int), pigemr2d_}};

/* One matrix on a grid of its own. */
typedef struct matrix {
  int nprow, npcol, ranks[PROCS]; /* of the grid, row by row */
  int row, col;                   /* of this process; -1: not in the grid */
  int size[2], block[2], source[2], start[2];
  dap_scalapack_int desc[9];
  int64_t local[2], ld, bytes;
  dap_layout *layout;
  int64_t strides[2];
  unsigned char *data;
} matrix;

/* ---- grids -------------------------------------------------------------------------------------------- */

/* The context of a grid; -1 on processes that are not in it. Collective. */
static dap_scalapack_int grid_start(const int ranks[], int nprow, int npcol)
{
  dap_scalapack_int map[PROCS], context = Csys2blacs_handle(MPI_COMM_WORLD);
  const dap_scalapack_int handle = context;
  for (int p = 0; p < nprow; p++)
    for (int q = 0; q < npcol; q++) map[q * nprow + p] = ranks[p * npcol + q];
  Cblacs_gridmap(&context, map, nprow, nprow, npcol);
  Cfree_blacs_system_handle(handle);
  bool is_member = false;
  for (int i = 0; i < nprow * npcol; i++) is_member = is_member || ranks[i] == test_rank();
  return is_member ? context : -1;
}

/* 1 x P, P x 1, or any rows and columns that there are processes for. */
static void draw_grid(test_random *random, matrix *m)
{
  const int P = test_nprocs();
  const int64_t kind = test_random_int(random, 0, 3);
  m->nprow = kind == 0 ? 1 : kind == 1 ? P : (int)test_random_int(random, 1, P);
  m->npcol = kind == 0 ? P : kind == 1 ? 1 : P / m->nprow;
  for (int i = 0; i < P; i++) m->ranks[i] = i;
  test_shuffle(random, P, m->ranks);
  m->row = m->col = -1;
  for (int i = 0; i < m->nprow * m->npcol; i++)
    if (m->ranks[i] == test_rank()) m->row = i / m->npcol, m->col = i % m->npcol;
}

/* ---- matrices ----------------------------------------------------------------------------------------- */

/* Which process has a row or column, and at which place there: dealt out block by block. */
static int owner_of(const matrix *m, int axis, int64_t index, int64_t *local)
{
  const int procs = axis == 0 ? m->nprow : m->npcol;
  const int64_t block = index / m->block[axis];
  *local = block / procs * m->block[axis] + index % m->block[axis];
  return (int)((block + m->source[axis]) % procs);
}

static int64_t count_local(const matrix *m, int axis)
{
  int64_t count = 0, local;
  for (int64_t i = 0; i < m->size[axis]; i++)
    count += owner_of(m, axis, i, &local) == (axis == 0 ? m->row : m->col);
  return count;
}

static dap_layout *make_layout(const matrix *m)
{
  dap_dist dists[2];
  dap_layout *layout = NULL;
  dap_error err = {0};
  for (int k = 0; k < 2; k++) {
    dists[k] = dap_dist_cyclic(m->size[k], k == 0 ? m->nprow : m->npcol, m->block[k]);
    dists[k].first_owner = m->source[k];
  }
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  return layout;
}

/* A matrix that has rows x columns elements behind a random first one. */
static matrix make_matrix(test_random *random, const int part[2], int64_t itemsize)
{
  matrix m = {0};
  draw_grid(random, &m);
  for (int k = 0; k < 2; k++) {
    const int procs = k == 0 ? m.nprow : m.npcol;
    m.start[k] = (int)test_random_int(random, 0, 12);
    m.size[k] = m.start[k] + part[k] + (int)test_random_int(random, part[k] ? 0 : 1, 9);
    m.block[k] = (int)test_random_int(random, 1, test_random_one_in(random, 3) ? 16 : 5);
    m.source[k] = (int)test_random_int(random, 0, procs - 1);
  }
  const int64_t gap = test_random_int(random, 0, 4);
  m.local[0] = count_local(&m, 0);
  m.local[1] = count_local(&m, 1);
  m.ld = (m.local[0] > 0 ? m.local[0] : 1) + gap;
  m.bytes = m.ld * (m.local[1] > 0 ? m.local[1] : 1) * itemsize;
  m.layout = make_layout(&m);
  m.strides[0] = itemsize;
  m.strides[1] = m.ld * itemsize;
  m.data = malloc((size_t)m.bytes);
  if (!m.data) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(m.data, GAP, (size_t)m.bytes);
  const dap_scalapack_int context = grid_start(m.ranks, m.nprow, m.npcol);
  const dap_scalapack_int desc[] = {1,           context,     m.size[0],
                                    m.size[1],   m.block[0],  m.block[1],
                                    m.source[0], m.source[1], (dap_scalapack_int)m.ld};
  memcpy(m.desc, desc, sizeof desc);
  return m;
}

static void free_matrix(matrix *m)
{
  if (m->desc[1] >= 0) Cblacs_gridexit(m->desc[1]);
  dap_layout_destroy(&m->layout);
  free(m->data);
}

/* Every element another number. */
static void fill_matrix(const matrix *m, int64_t itemsize)
{
  for (int64_t i = 0; i < m->size[0]; i++)
    for (int64_t j = 0; j < m->size[1]; j++) {
      int64_t at[2];
      if (owner_of(m, 0, i, &at[0]) != m->row || owner_of(m, 1, j, &at[1]) != m->col) continue;
      unsigned char *element = m->data + at[0] * m->strides[0] + at[1] * m->strides[1];
      const int number = (int)(i * 1000 + j + 1);
      const double parts[] = {number, -number};
      if (itemsize == 4)
        memcpy(element, &number, sizeof number);
      else
        memcpy(element, parts, (size_t)itemsize);
    }
}

/* ---- the comparison ------------------------------------------------------------------------------------ */

static dap_side side_for(const matrix *m, const int64_t start[], const int64_t shape[])
{
  const bool has = m->row >= 0;
  return (dap_side){.layout = has ? m->layout : NULL,
                    .ranks = has ? m->ranks : NULL,
                    .strides = has ? m->strides : NULL,
                    .part = {.start = start, .shape = shape}};
}

static void move_by_plan(const matrix *from, const matrix *to, const int part[2], int64_t itemsize,
                         void *data)
{
  const int64_t from_start[] = {from->start[0], from->start[1]}, to_start[] = {to->start[0], to->start[1]};
  const int64_t shape[] = {part[0], part[1]};
  const dap_side a = side_for(from, from_start, shape), b = side_for(to, to_start, shape);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, itemsize, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, from->data, data, &err), &err);
  dap_plan_destroy(&plan);
}

/* Elements that differ from what the destination was before, on all processes. */
static int64_t count_changed(const matrix *m, const unsigned char *data, int64_t itemsize)
{
  unsigned char before[16];
  int64_t count = 0;
  memset(before, GAP, sizeof before);
  for (int64_t i = 0; i < m->bytes; i += itemsize) count += memcmp(data + i, before, (size_t)itemsize) != 0;
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return count;
}

static void compare(test_random *random, int number, dap_scalapack_int context)
{
  const size_t t = (size_t)test_random_int(random, 0, 2);
  const bool is_empty = number % 12 == 0;
  const int part[] = {is_empty && number % 24 ? 0 : (int)test_random_int(random, 1, MOST),
                      is_empty && !(number % 24) ? 0 : (int)test_random_int(random, 1, MOST)};
  const int64_t item = types[t].itemsize;
  matrix from = make_matrix(random, part, item), to = make_matrix(random, part, item);
  TEST_CASE("seed %" PRIu64
            ", case %d: %d x %d of %s from (%d, %d) on %d x %d, blocks %d x %d, first %d, %d; to (%d, "
            "%d) on %d x %d, blocks %d x %d, first %d, %d",
            test_seed(), number, part[0], part[1], types[t].name, from.start[0], from.start[1], from.nprow,
            from.npcol, from.block[0], from.block[1], from.source[0], from.source[1], to.start[0],
            to.start[1], to.nprow, to.npcol, to.block[0], to.block[1], to.source[0], to.source[1]);
  fill_matrix(&from, item);
  unsigned char *mine = malloc((size_t)to.bytes);
  if (!mine) MPI_Abort(MPI_COMM_WORLD, 1);
  memcpy(mine, to.data, (size_t)to.bytes);
  move_by_plan(&from, &to, part, item, mine);
  const dap_scalapack_int m = part[0], n = part[1], ia = from.start[0] + 1, ja = from.start[1] + 1,
                          ib = to.start[0] + 1, jb = to.start[1] + 1;
  types[t].gemr2d(&m, &n, from.data, &ia, &ja, from.desc, to.data, &ib, &jb, to.desc, &context);
  EXPECT_MSG(!memcmp(mine, to.data, (size_t)to.bytes), "the plan's matrix is not p?gemr2d's");
  EXPECT_INT(count_changed(&to, mine, item), (int64_t)part[0] * part[1]);
  free(mine);
  free_matrix(&from);
  free_matrix(&to);
}

static void plans_do_what_gemr2d_does(void **state)
{
  (void)state;
  test_random random = test_random_init(140);
  int all[PROCS];
  for (int i = 0; i < test_nprocs(); i++) all[i] = i;
  const dap_scalapack_int context = grid_start(all, 1, test_nprocs());
  for (int i = 0; i < CASES; i++) {
    compare(&random, i, context);
    SETTLE();
  }
  Cblacs_gridexit(context);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(plans_do_what_gemr2d_does)};
MPI_TEST_MAIN(tests)
