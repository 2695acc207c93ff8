/* Linear systems, solved by ScaLAPACK on views of distributed arrays, in all four element types: the scaled
 * residual ||Ax - b|| / (||A|| ||x|| n eps), computed from the formula of the entries, is at most 10. */
#include "operand.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "variants.h"
#include <dapbridge/scalapack_calls.h>

static const struct element_type {
  dap_dtype dtype;
  bool is_single, is_complex;
  dap_pgetrf *getrf;
  dap_pgetrs *getrs;
  dap_pgesv *gesv;
  dap_pposv *posv;
} types[] = {
    {DAP_F4, true, false, psgetrf_, psgetrs_, psgesv_, psposv_},
    {DAP_F8, false, false, pdgetrf_, pdgetrs_, pdgesv_, pdposv_},
    {DAP_C8, true, true, pcgetrf_, pcgetrs_, pcgesv_, pcposv_},
    {DAP_C16, false, true, pzgetrf_, pzgetrs_, pzgesv_, pzposv_},
};

/* ---- entries ------------------------------------------------------------------------------------ */

typedef double complex formula(int64_t i, int64_t j);

/* Irregular multiples of 1/512 in [-1, 1), which every type holds exactly. */
static double complex any_entry(int64_t i, int64_t j)
{
  const uint64_t h = ((uint64_t)i * 1009 + (uint64_t)j + 1) * 0x9E3779B97F4A7C15u;
  return ((double)(h >> 54) - 512) / 512 + I * ((double)(h >> 44 & 1023) - 512) / 512;
}

/* A Hermitian matrix, positive definite by its diagonal. */
static double complex definite_entry(int64_t i, int64_t j)
{
  if (i == j) return 200;
  return i < j ? any_entry(i, j) : conj(any_entry(j, i));
}

/* Right-hand side r is row r of a second array, or column r. */
static double complex row_of_b(int64_t r, int64_t i)
{
  return any_entry(500 + r, i);
}

static double complex column_of_b(int64_t i, int64_t r)
{
  return row_of_b(r, i);
}

static void store(const struct element_type *type, double complex value, void *element)
{
  const double d[2] = {creal(value), cimag(value)};
  const float f[2] = {(float)d[0], (float)d[1]};
  memcpy(element, type->is_single ? (const void *)f : d, (size_t)dap_dtype_size(type->dtype));
}

static double complex load(const struct element_type *type, const void *element)
{
  double d[2] = {0};
  float f[2] = {0};
  memcpy(type->is_single ? (void *)f : d, element, (size_t)dap_dtype_size(type->dtype));
  return type->is_single ? f[0] + I * f[1] : d[0] + I * d[1];
}

/* ---- arrays ------------------------------------------------------------------------------------- */

/* Sets all owned elements by formula (all != NULL: copies them there instead, to their C-order index). */
static void visit(const operand *o, const struct element_type *type, formula *entry, double complex *all)
{
  int64_t local[2], global[2];
  bool owned;
  for (local[0] = 0; local[0] < o->array.shape[0]; local[0]++)
    for (local[1] = 0; local[1] < o->array.shape[1]; local[1]++) {
      EXPECT_OK(dap_layout_globalize(o->layout, o->rank, local, global, &owned, NULL), NULL);
      char *element = (char *)o->array.data + local[0] * o->array.strides[0] + local[1] * o->array.strides[1];
      if (!owned) continue;
      if (all)
        all[global[0] * dap_layout_size(o->layout, 1) + global[1]] = load(type, element);
      else
        store(type, entry(global[0], global[1]), element);
    }
}

/* With `shuffled` the ranks have an order of their own, the same for all operands. */
static operand make(const dap_dist dists[2], const struct element_type *type, operand_form form,
                    formula *entry, bool shuffled)
{
  test_random random = test_random_init(5);
  dap_layout *layout;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  if (shuffled) layout = variant_shuffle(&random, layout);
  operand o = operand_of(MPI_COMM_WORLD, layout, type->dtype, form);
  visit(&o, type, entry, NULL);
  return o;
}

static void get(dap_scalapack_matrix *m, const operand *o, dap_scalapack_options options)
{
  dap_error err = {0};
  EXPECT_OK(dap_scalapack_get(o->comm, (dap_darray){o->layout, &o->array}, DAP_READ_WRITE, &options, m, &err),
            &err);
}

static void finish(operand *o, dap_scalapack_matrix *m)
{
  dap_error err = {0};
  EXPECT_OK(dap_scalapack_restore(m, &err), &err);
  check_gaps(&o->buffer);
  operand_free(o);
}

/* Largest scaled residual of the right-hand sides whose solutions `o` holds, as rows or columns. */
static double residual(const operand *o, const struct element_type *type, formula *entry, bool transposed,
                       bool rows)
{
  const int64_t n = dap_layout_size(o->layout, rows ? 1 : 0), nrhs = dap_layout_size(o->layout, rows ? 0 : 1);
  double complex *x = calloc((size_t)(n * nrhs), sizeof *x);
  visit(o, type, NULL, x);
  MPI_Allreduce(MPI_IN_PLACE, x, (int)(2 * n * nrhs), MPI_DOUBLE, MPI_SUM, o->comm);
  double worst = 0;
  for (int64_t r = 0; r < nrhs; r++) {
    double norm_r = 0, norm_a = 0, norm_x = 0;
    for (int64_t i = 0; i < n; i++) {
      double complex difference = type->is_complex ? -row_of_b(r, i) : -creal(row_of_b(r, i));
      double sum = 0;
      for (int64_t j = 0; j < n; j++) {
        const double complex a = transposed ? entry(j, i) : entry(i, j);
        const double complex held = type->is_complex ? a : creal(a);
        difference += held * x[rows ? r * n + j : j * nrhs + r];
        sum += cabs(held);
      }
      norm_r = fmax(norm_r, cabs(difference));
      norm_a = fmax(norm_a, sum);
      norm_x = fmax(norm_x, cabs(x[rows ? r * n + i : i * nrhs + r]));
    }
    const double eps = type->is_single ? (double)FLT_EPSILON : DBL_EPSILON;
    const double scaled = norm_r / (norm_a * norm_x * (double)n * eps);
    if (!(scaled <= worst)) worst = scaled;
  }
  free(x);
  return worst;
}

/* ---- systems ------------------------------------------------------------------------------------ */

enum { CYCLIC, ROTATED, PADDED, UNEVEN };

static const struct {
  const char *why;
  int cut; /* of the matrix, on both axes; of the right-hand sides along theirs */
  operand_form form;
  bool rows; /* right-hand sides are the rows of their array, else the columns */
  char op;   /* wanted of the right-hand sides; 0: the matrix's */
  bool shuffled;
} systems[] = {
    {"C order, both shared", CYCLIC, OPERAND_C, true, 0, false},
    {"F order, both shared", CYCLIC, OPERAND_F, false, 0, false},
    {"wide rows", CYCLIC, OPERAND_WIDE, true, 0, false},
    {"C order, first block anywhere", ROTATED, OPERAND_C, true, 0, false},
    {"F order, first block anywhere", ROTATED, OPERAND_F, false, 0, false},
    {"interior of padded blocks", PADDED, OPERAND_C, true, 0, false},
    {"interior of padded blocks, F order", PADDED, OPERAND_F, false, 0, false},
    {"uneven blocks, both moved", UNEVEN, OPERAND_C, true, 0, false},
    {"uneven blocks, F order", UNEVEN, OPERAND_F, false, 0, false},
    {"C order, right-hand sides as columns", CYCLIC, OPERAND_C, false, 'N', false},
    {"C order, ranks in an order of their own", ROTATED, OPERAND_C, true, 0, true},
    {"F order, ranks in an order of their own", CYCLIC, OPERAND_F, false, 0, true},
    {"moved, ranks in an order of their own", UNEVEN, OPERAND_C, true, 0, true},
};

enum { BLOCK = 5, NRHS = 3 };

/* Unknowns: PADDED takes as many as one block a process along the longer side of the grid. */
static int64_t unknowns(int kind, const int procs[2])
{
  return kind == PADDED ? BLOCK * (procs[0] > procs[1] ? procs[0] : procs[1]) : 37;
}

static dap_dist cut(int kind, int64_t size, int procs, int64_t lengths[])
{
  dap_dist d = {.kind = DAP_DIST_CYCLIC, .procs = procs, .size = size, .block_size = BLOCK};
  if (kind == ROTATED) d.first_owner = procs - 1;
  if (kind == PADDED || kind == UNEVEN) {
    d.kind = DAP_DIST_LENGTHS;
    d.lengths = lengths;
    d.halo = kind == PADDED;
    int64_t rest = size;
    for (int c = 0; c < procs; c++) {
      const int64_t uneven = c < 2 ? 3 * c + 1 : rest / 2; /* 1, 4, then halves of the rest */
      lengths[c] = c == procs - 1 ? rest : kind == PADDED ? size / procs : uneven;
      rest -= lengths[c];
    }
  }
  return d;
}

static void solve(const struct element_type *type, const dap_scalapack_matrix *a,
                  const dap_scalapack_matrix *b)
{
  const dap_scalapack_int one = 1, n = a->desc[2], nrhs = NRHS;
  dap_scalapack_int info = -99, *pivots = calloc((size_t)(n + a->desc[4]), sizeof *pivots);
  EXPECT_INT(b->desc[2], n);
  EXPECT_INT(b->desc[3], nrhs);
  if (a->op == 'N') {
    type->gesv(&n, &nrhs, a->data, &one, &one, a->desc, pivots, b->data, &one, &one, b->desc, &info);
  } else {
    type->getrf(&n, &n, a->data, &one, &one, a->desc, pivots, &info);
    EXPECT_INT(info, 0);
    type->getrs(&a->op, &n, &nrhs, a->data, &one, &one, a->desc, pivots, b->data, &one, &one, b->desc, &info);
  }
  EXPECT_INT(info, 0);
  free(pivots);
}

static void run_system(size_t i, const struct element_type *type, const int procs[2])
{
  const int64_t n = unknowns(systems[i].cut, procs);
  const bool rows = systems[i].rows, turned = systems[i].op != 0;
  TEST_CASE("%s, %d x %d processes, %s", systems[i].why, procs[0], procs[1], dap_dtype_name(type->dtype));
  int64_t lengths[2][BRUTE_PROCS], more[BRUTE_PROCS];
  dap_dist one[2], two[2];
  for (int k = 0; k < 2; k++) one[k] = cut(systems[i].cut, n, procs[k], lengths[k]);
  const int along = rows ? 1 : 0; /* the right-hand sides' axis that goes with the unknowns */
  two[along] = cut(systems[i].cut, n, procs[along], more);
  two[1 - along] = cut(systems[i].cut == ROTATED ? ROTATED : CYCLIC, NRHS, procs[1 - along], NULL);
  operand a = make(one, type, systems[i].form, any_entry, systems[i].shuffled);
  operand b = make(two, type, systems[i].form, rows ? row_of_b : column_of_b, systems[i].shuffled);
  dap_scalapack_matrix ma;
  get(&ma, &a, (dap_scalapack_options){.needs.square_blocks = true});
  dap_scalapack_matrix mb;
  get(&mb, &b,
      (dap_scalapack_options){.aligned_with = &ma, .needs.align = DAP_ALIGN_ROWS, .op = systems[i].op});

  const bool square = systems[i].cut != PADDED || procs[0] == 1 || procs[1] == 1 || procs[0] == procs[1];
  const bool cut_up = systems[i].cut != UNEVEN || (procs[0] == 1 && procs[1] == 1);
  EXPECT_MSG(ma.shared == (square && cut_up), "A: %s", ma.reason);
  if (square && cut_up) EXPECT_MSG(mb.shared == !turned, "b: %s", mb.reason);
  EXPECT(!ma.shared || operand_holds(&a, &ma));
  solve(type, &ma, &mb);
  dap_error err = {0};
  EXPECT_OK(dap_scalapack_restore(&mb, &err), &err);
  const double r = residual(&b, type, any_entry, false, rows);
  EXPECT_MSG(r <= 10, "residual %g", r);
  finish(&a, &ma);
  finish(&b, &mb);
  SETTLE();
}

static void linear_systems_are_solved(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
    for (size_t t = 0; t < 4; t++)
      for (int p = 1; p <= test_nprocs(); p++)
        if (test_nprocs() % p == 0) run_system(i, &types[t], (const int[2]){p, test_nprocs() / p});
}

/* Cholesky reads one triangle only: the array's lower one is the upper one of the transposed matrix. What
 * is solved with is the matrix, so for op 'T' the transposed array. */
static void triangles_are_turned(void **state)
{
  (void)state;
  const dap_scalapack_int one = 1, n = 31, nrhs = NRHS;
  for (size_t t = 0; t < 4; t++)
    for (int form = OPERAND_C; form <= OPERAND_F; form++) {
      const struct element_type *type = &types[t];
      const bool turned = form == OPERAND_C;
      TEST_CASE("%s, %s", dap_dtype_name(type->dtype), turned ? "C" : "F");
      const dap_dist whole = dap_dist_cyclic(n, 1, 4), slices = dap_dist_cyclic(n, test_nprocs(), 4);
      const dap_dist few = dap_dist_cyclic(nrhs, test_nprocs(), 4), all_few = dap_dist_cyclic(nrhs, 1, 4);
      operand a = make((const dap_dist[2]){slices, whole}, type, (operand_form)form, definite_entry, false);
      operand b = turned ? make((const dap_dist[2]){few, whole}, type, OPERAND_C, row_of_b, false)
                         : make((const dap_dist[2]){slices, all_few}, type, OPERAND_F, column_of_b, false);
      int64_t local[2], global[2];
      for (local[0] = 0; local[0] < a.array.shape[0]; local[0]++)
        for (local[1] = 0; local[1] < a.array.shape[1]; local[1]++) {
          EXPECT_OK(dap_layout_globalize(a.layout, a.rank, local, global, NULL, NULL), NULL);
          char *element =
              (char *)a.array.data + local[0] * a.array.strides[0] + local[1] * a.array.strides[1];
          if (global[0] < global[1]) store(type, 1e9, element); /* above the diagonal: must not be read */
        }
      dap_scalapack_matrix ma;
      get(&ma, &a, (dap_scalapack_options){.needs.square_blocks = true});
      dap_scalapack_matrix mb;
      get(&mb, &b, (dap_scalapack_options){.aligned_with = &ma, .needs.align = DAP_ALIGN_ROWS});
      EXPECT_MSG(ma.shared && mb.shared, "%s; %s", ma.reason, mb.reason);
      dap_scalapack_int info = -99;
      type->posv(turned ? "U" : "L", &n, &nrhs, ma.data, &one, &one, ma.desc, mb.data, &one, &one, mb.desc,
                 &info);
      EXPECT_INT(info, 0);
      const double r = residual(&b, type, definite_entry, turned, turned);
      EXPECT_MSG(r <= 10, "residual %g", r);
      finish(&a, &ma);
      finish(&b, &mb);
      SETTLE();
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_systems_are_solved),
      cmocka_unit_test(triangles_are_turned),
  };
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
