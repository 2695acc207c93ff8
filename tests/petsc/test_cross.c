/* The full cross product of fields: dimensions, ends of axes, stencil widths, degrees of freedom, orders,
 * ranges, stencils, shared and moved, each with every element of both sides. A failure names the number of
 * its combination. DAP_TEST_COMBINATION=<number> runs it alone. */
#include "live.h"
#include "sanitizer.h"

/* Every so manieth combination is tried: with sanitizers, and for other builds of PETSc than the default one,
 * not all of them. No stride has a factor in common with the number of choices of anything, so every choice
 * still meets every other one. On each number of ranks it begins with another one. In the default tier of the
 * tests (test_scale()) the default build is thinned too. */
#if UNDER_SANITIZER
enum { STRIDE = 35 };
#elif defined(PETSC_USE_COMPLEX) || defined(PETSC_USE_64BIT_INDICES)
enum { STRIDE = 7 };
#else
enum { STRIDE = 1 };
#endif

static int stride(void)
{
  return STRIDE > 1 ? STRIDE : test_scale();
}

/* What lies at the two outer ends of an axis. */
typedef enum cross_edge {
  EDGE_POINTS,   /* boundary padding that is points of the grid */
  EDGE_GHOSTED,  /* boundary padding as wide as the stencil that is ghost points outside the grid */
  EDGE_WRAPS,    /* periodic, with halos that wrap round */
  EDGE_STRIPPED, /* periodic, with padding inside `size` that repeats the other end */
  EDGE_BARE,     /* periodic, without padding */
  EDGE_MIXED,    /* the second, the fourth and the third of these along the first, second and third axis */
  EDGE_COUNT
} cross_edge;

typedef struct combination {
  int number;
  int ndim; /* of the grid */
  cross_edge edge;
  int64_t width; /* of the stencil, and of all halos */
  int dof;       /* 1: no axis of its own */
  bool fortran;  /* buffers in F order */
  bool irregular;
  bool star;
  bool copy; /* DAP_SHARE_NEVER */
} combination;

enum {
  NDIMS = 3,
  WIDTHS = 4,
  DOFS = 3,
  SWITCHES = 4,
  COMBINATIONS = NDIMS * EDGE_COUNT * WIDTHS * DOFS << SWITCHES
};

/* Takes the last digit, of `radix`, off a number. */
static int digit(int *rest, int radix)
{
  const int value = *rest % radix;
  *rest /= radix;
  return value;
}

static combination combination_of(int number)
{
  int rest = number;
  combination c = {.number = number};
  c.copy = digit(&rest, 2) == 1;
  c.star = digit(&rest, 2) == 1;
  c.irregular = digit(&rest, 2) == 1;
  c.fortran = digit(&rest, 2) == 1;
  c.dof = 1 + digit(&rest, DOFS);
  c.width = digit(&rest, WIDTHS);
  c.edge = (cross_edge)digit(&rest, EDGE_COUNT);
  c.ndim = 1 + rest;
  return c;
}

static void name_case(const combination *c)
{
  static const char *const edges[] = {
      [EDGE_POINTS] = "boundary padding as points", [EDGE_GHOSTED] = "boundary padding as ghost points",
      [EDGE_WRAPS] = "periodic, halos wrap",        [EDGE_STRIPPED] = "periodic, stripped",
      [EDGE_BARE] = "periodic without padding",     [EDGE_MIXED] = "ghost points, stripped, wrapping halos",
  };
  TEST_CASE("DAP_TEST_COMBINATION=%d: %d-D, %s, width %d, %d dof, %c order, %s ranges, %s, %s", c->number,
            c->ndim, edges[c->edge], (int)c->width, c->dof, c->fortran ? 'F' : 'C',
            c->irregular ? "irregular" : "even", c->star ? "STAR" : "BOX",
            c->copy ? "a copy" : "shared if possible");
}

/* ---- the array --------------------------------------------------------------------------------------- */

static cross_edge edge_along(const combination *c, int k)
{
  static const cross_edge mixed[] = {EDGE_GHOSTED, EDGE_STRIPPED, EDGE_WRAPS};
  return c->edge == EDGE_MIXED ? mixed[k] : c->edge;
}

enum { MOST = 8 };

/* Every range keeps as many points as the stencil is wide, and two, when the margins are cut off. Axes are of
 * different sizes. */
static int64_t cut(const combination *c, int k, const dap_dist *axis, int64_t lengths[MOST])
{
  const int64_t least = c->width > 2 ? c->width : 2;
  int64_t total = 0;
  for (int p = 0; p < axis->procs; p++) {
    lengths[p] = least + (2 * p + k + 1) % 3;
    if (p == 0) lengths[p] += axis->boundary[0];
    if (p == axis->procs - 1) lengths[p] += axis->boundary[1];
    if (axis->procs == 1) lengths[p] += k;
    total += lengths[p];
  }
  const int64_t widest = least + (axis->procs == 1 ? axis->boundary[0] : 0) + axis->boundary[1];
  if (!c->irregular && total < widest * axis->procs) total = widest * axis->procs + k % axis->procs;
  return total;
}

static dap_dist lay_axis(const combination *c, int k, int procs, int64_t lengths[MOST])
{
  const cross_edge edge = edge_along(c, k);
  dap_dist axis = {.procs = procs, .halo = c->width, .wraps = edge == EDGE_WRAPS};
  axis.periodic = edge == EDGE_WRAPS || edge == EDGE_STRIPPED || edge == EDGE_BARE;
  if (edge == EDGE_POINTS) memcpy(axis.boundary, (int64_t[]){1, 2}, sizeof axis.boundary);
  if (edge == EDGE_GHOSTED || edge == EDGE_STRIPPED) axis.boundary[0] = axis.boundary[1] = c->width;
  axis.size = cut(c, k, &axis, lengths);
  if (c->irregular) axis.kind = DAP_DIST_LENGTHS;
  if (c->irregular) axis.lengths = lengths;
  return axis;
}

static void make(live *a, const combination *c)
{
  dap_dist dist[4] = {{0}};
  int64_t lengths[3][MOST];
  int dims[3] = {0};
  const int turn = (int)(c->width + c->dof) % c->ndim;
  MPI_Dims_create(test_nprocs(), c->ndim, dims);
  for (int k = 0; k < c->ndim; k++) dist[k] = lay_axis(c, k, dims[(k + turn) % c->ndim], lengths[k]);
  if (c->dof > 1) dist[c->ndim] = dap_dist_local(c->dof);
  const bool ghosted = c->edge == EDGE_GHOSTED || c->edge == EDGE_MIXED;
  const dap_petsc_field_options options = {
      .sharing = c->copy ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE,
      .width = c->width,
      .star = c->star,
      .dof_axes = c->dof > 1,
      .boundary = ghosted ? DM_BOUNDARY_GHOSTED : DM_BOUNDARY_NONE,
      .strip_periodic = c->edge == EDGE_STRIPPED || c->edge == EDGE_MIXED,
  };
  live_make_cut(a, c->ndim + (c->dof > 1), dist, c->fortran ? FORM_F : FORM_C);
  a->options = options;
}

/* The DMDA is what was asked for. Width 0 asks for that of the halos, or for 1 where there is no neighbour
 * whose halo could tell. */
static void check_dm(const live *a, const combination *c)
{
  PetscInt dof = 0, width = 0;
  DMDAStencilType stencil;
  bool neighbours = false;
  EXPECT(!DMDAGetInfo(a->field.dm, 0, 0, 0, 0, 0, 0, 0, &dof, &width, 0, 0, 0, &stencil));
  for (int k = 0; k < c->ndim; k++)
    neighbours = neighbours || dap_layout_procs(a->layout, k) > 1 || dap_layout_axis(a->layout, k).periodic;
  EXPECT_INT(dof, c->dof);
  EXPECT_INT(width, c->width > 0 || neighbours ? c->width : 1);
  EXPECT((stencil == DMDA_STENCIL_STAR) == c->star);
}

/* ---- all together ------------------------------------------------------------------------------------ */

/* What was seen. */
static struct {
  int combinations, local_shared, global_shared, both_shared;
} seen;

static void try_combination(int number)
{
  static const live_row any;
  const combination c = combination_of(number);
  live a;
  name_case(&c);
  make(&a, &c);
  if (live_begin(&a, &any, DAP_READ_WRITE, BOTH)) {
    check_dm(&a, &c);
    seen.combinations++;
    seen.local_shared += a.field.shared_local;
    seen.global_shared += a.field.shared_global;
    seen.both_shared += a.field.shared_local && a.field.shared_global;
    live_finish(&a, DAP_READ_WRITE, BOTH);
  }
  live_free(&a);
}

/* The one combination that is asked for, or -1. */
static int alone(void)
{
  const char *text = getenv("DAP_TEST_COMBINATION");
  return text ? (int)strtol(text, NULL, 10) : -1;
}

/* Each more rank has to wait for its share of the cores: on more than two a combination is either shared or
 * copied, half of those of each choice so, half the other way. */
enum { FEW_RANKS = 2 };

static bool is_left_out(int number)
{
  const combination c = combination_of(number);
  const int sum = c.ndim + (int)c.edge + (int)c.width + c.dof + c.fortran + c.irregular + c.star;
  return test_nprocs() > FEW_RANKS && sum % 2 != c.copy;
}

/* The loops were not empty, nor were the fields. */
static void check_seen(void)
{
  const int parts = stride() * (test_nprocs() > FEW_RANKS ? 2 : 1);
  EXPECT_MSG(seen.combinations > COMBINATIONS / parts - 40, "%d combinations", seen.combinations);
  EXPECT_MSG(seen.local_shared > 800 / parts, "%d local vectors shared", seen.local_shared);
  EXPECT_MSG(seen.global_shared > 450 / parts, "%d global vectors shared", seen.global_shared);
  EXPECT_MSG(seen.both_shared > 400 / parts, "%d both shared", seen.both_shared);
}

static void all_combinations(void **state)
{
  (void)state;
  const int only = alone();
  if (only >= 0) try_combination(only);
  for (int number = test_nprocs() % stride(); number < COMBINATIONS && only < 0; number += stride()) {
    if (is_left_out(number)) continue;
    try_combination(number);
    SETTLE();
  }
  if (only < 0) check_seen();
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(all_combinations),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
