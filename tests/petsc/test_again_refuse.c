/* Options name a DMDA or axes that are not allowed. Every process must get the same status and text, and
 * nothing may be left behind. */
#include "live.h"

#include <petscdmshell.h>

enum { ROWS = 24, COLUMNS = 7 };

/* A DMDA of 2 directions. If all members are 0, it has the array's grid and a box stencil of width 1. */
typedef struct plan {
  PetscInt size[2], procs[2], dof;
  DMBoundaryType outer[2];
  bool star, no_width;
  bool inner; /* without the ends of the axis of rows */
} plan;

static DM make_dm(MPI_Comm comm, const plan *p)
{
  DM dm = NULL;
  int nprocs;
  MPI_Comm_size(comm, &nprocs);
  const PetscInt x = p->size[0] ? p->size[0] : COLUMNS, y = p->size[1] ? p->size[1] : ROWS;
  EXPECT(!DMDACreate2d(comm, p->outer[0], p->outer[1], p->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX, x,
                       y - 2 * p->inner, p->procs[0] ? p->procs[0] : 1,
                       p->procs[1] ? p->procs[1] : nprocs / (p->procs[0] ? p->procs[0] : 1),
                       p->dof ? p->dof : 1, !p->no_width, NULL, NULL, &dm));
  EXPECT(!DMSetUp(dm));
  return dm;
}

/* Axes that are picked. The other axes are all fixed at one index. */
typedef struct pick {
  int naxes, axes[2];
  int64_t index;
} pick;

/* The arguments of a call. */
typedef struct request {
  live a;
  DM dm;
} request;

typedef struct refusal {
  const char *why;
  bool last_only; /* only the last process is wrong */
  int ranks;      /* the test runs on this many processes and on multiples */
  dap_status status;
  const char *parts;
  void (*make)(request *r); /* changes the request; may be NULL */
  bool gives;               /* a DMDA made by `plan` is given */
  plan plan;
  dap_petsc_field_options options;    /* the options of the processes that are wrong */
  pick pick, others;                  /* what those and what the others pick */
  enum { NOTHING, EDGES, LOOP } rows; /* the array's boundary padding; with LOOP it is periodic */
} refusal;

/* ---- DMDAs of their own -------------------------------------------------------------------------------- */

static void one_direction(request *r)
{
  EXPECT(!DMDACreate1d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, ROWS, 1, 1, NULL, &r->dm) && !DMSetUp(r->dm));
}

static void three_directions(request *r)
{
  EXPECT(!DMDACreate3d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX,
                       COLUMNS, ROWS, 1, 1, PETSC_DECIDE, 1, 1, 1, NULL, NULL, NULL, &r->dm) &&
         !DMSetUp(r->dm));
}

static void shell(request *r)
{
  EXPECT(!DMShellCreate(MPI_COMM_WORLD, &r->dm));
}

static void not_set_up(request *r)
{
  EXPECT(!DMDACreate2d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, COLUMNS, ROWS, 1,
                       test_nprocs(), 1, 1, NULL, NULL, &r->dm));
}

static void of_itself(request *r)
{
  r->dm = make_dm(MPI_COMM_SELF, &(plan){.dof = 1});
}

static void of_a_part(request *r)
{
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() < test_nprocs() / 2, 0, &part);
  r->dm = make_dm(part, &(plan){.dof = 1});
  MPI_Comm_free(&part);
}

/* Each process passes a DMDA over all processes, but not the same one. */
static void two_of_them(request *r, const plan *first)
{
  DM other = make_dm(MPI_COMM_WORLD, &(plan){.dof = 1});
  r->dm = make_dm(MPI_COMM_WORLD, first);
  EXPECT(!PetscObjectCompose((PetscObject)r->dm, "other", (PetscObject)other));
  r->a.options.dm = test_rank() == 0 ? r->dm : other;
  EXPECT(!DMDestroy(&other));
}

static void two_boundaries(request *r)
{
  two_of_them(r, &(plan){.outer = {DM_BOUNDARY_PERIODIC}});
}

static void two_stencils(request *r)
{
  two_of_them(r, &(plan){.star = true});
  r->a.options.star = test_rank() == 0; /* it also has another option */
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

#define INNER .boundary = DM_BOUNDARY_GHOSTED, .strip_periodic = true

static const int64_t zeros[DAP_MAX_NDIM], ones[DAP_MAX_NDIM] = {1, 1};

/* clang-format off */
static const refusal refusals[] = {
  {"another size", false, 1, DAP_ERR_ARG, .parts = "dm|25 points|direction y|axis 0|24", .gives = true,
   .plan = {.size = {0, ROWS + 1}}},
  {"sizes of neither order", false, 1, DAP_ERR_ARG, .parts = "dm|24 points|direction x|7", .gives = true,
   .plan = {.size = {ROWS, COLUMNS + 1}}},
  {"degrees of freedom", false, 1, DAP_ERR_ARG, .parts = "2 directions|2 degrees|2 and 1", .gives = true,
   .plan = {.dof = 2}},
  {"one direction", false, 1, DAP_ERR_ARG, .parts = "dm|1 directions|array 2", one_direction},
  {"three directions", false, 1, DAP_ERR_ARG, .parts = "dm|3 directions|array 2", three_directions},
  {"a mirror", false, 1, DAP_ERR_UNSUPPORTED, .parts = "direction x|DM_BOUNDARY_MIRROR", .gives = true,
   .plan = {.outer = {DM_BOUNDARY_MIRROR}, .star = true}},
  {"a twist", false, 1, DAP_ERR_UNSUPPORTED, .parts = "direction y|DM_BOUNDARY_TWIST", .gives = true,
   .plan = {.outer = {DM_BOUNDARY_NONE, DM_BOUNDARY_TWIST}}},
  {"no DMDA", false, 1, DAP_ERR_ARG, .parts = "not a DMDA", shell},
  {"a DMDA that is not set up", false, 1, DAP_ERR_ARG, .parts = "not a DMDA|set up", not_set_up},
  {"no dm on all processes but one", true, 2, DAP_ERR_ARG, .parts = "dm is given|not the same",
   .gives = true},
  {"a DMDA of each process", false, 2, DAP_ERR_ARG, .parts = "other processes", of_itself},
  {"a DMDA of half of the processes", false, 2, DAP_ERR_ARG, .parts = "other processes", of_a_part},
  {"another width", false, 1, DAP_ERR_ARG, .parts = "width is 2|dm's 1", .gives = true,
   .options = {.width = 2}},
  {"a star of a box", false, 1, DAP_ERR_ARG, .parts = "star|box", .gives = true, .options = {.star = true}},
  {"boundary padding wider than its stencil", false, 1, DAP_ERR_UNSUPPORTED,
   .parts = "axis 0|padding 1|width 0",
   .gives = true, .plan = {.outer = {0, DM_BOUNDARY_GHOSTED}, .no_width = true, .inner = true},
   .options = {INNER}, .rows = EDGES},
  {"a period around boundary padding", false, 1, DAP_ERR_ARG,
   .parts = "direction y|_PERIODIC|axis 0|_GHOSTED",
   .gives = true, .plan = {.outer = {0, DM_BOUNDARY_PERIODIC}, .inner = true}, .options = {INNER},
   .rows = EDGES},
  {"nothing around boundary padding", false, 1, DAP_ERR_ARG, .parts = "direction y|_NONE|axis 0|_GHOSTED",
   .gives = true, .plan = {.inner = true}, .options = {INNER}, .rows = EDGES},
  {"nothing around a period", false, 1, DAP_ERR_ARG, .parts = "direction y|_NONE|axis 0|_PERIODIC",
   .gives = true,
   .plan = {.inner = true}, .options = {INNER}, .rows = LOOP},
  {"boundaries that differ", false, 2, DAP_ERR_ARG, .parts = "dm's|not the same", two_boundaries},
  {"stencils that differ, and the option", false, 2, DAP_ERR_ARG, .parts = "star|not the same", two_stencils},
  {"to share other ranges", false, 2, DAP_ERR_SHARE, .parts = "processes", .gives = true,
   .plan = {.procs = {2}},
   .options = {.sharing = DAP_SHARE_OR_FAIL}},
  {"an axis twice", false, 1, DAP_ERR_ARG, .parts = "axes[1] = 1|axes[0]", .pick = {2, {1, 1}}},
  {"an axis that there is not", false, 1, DAP_ERR_ARG, .parts = "axes[1] = 2", .pick = {2, {0, 2}}},
  {"an axis less than none", true, 1, DAP_ERR_ARG, .parts = "axes[1] = -2", .pick = {2, {0, -2}}},
  {"an index at the end", false, 1, DAP_ERR_ARG, .parts = "axis 0|index 24", .pick = {1, {1}, ROWS}},
  {"a negative index", true, 1, DAP_ERR_ARG, .parts = "axis 0|index -1", .pick = {1, {1}, -1}},
  {"too many axes", true, 1, DAP_ERR_ARG, .parts = "naxes", .options = {.part.naxes = DAP_MAX_NDIM + 1}},
  {"an index without axes", true, 1, DAP_ERR_ARG, .parts = "start is given",
   .options = {.part.start = zeros}},
  {"a negative number of axes", true, 1, DAP_ERR_ARG, .parts = "naxes -1", .options = {.part.naxes = -1}},
  {"another axis on one process", true, 2, DAP_ERR_ARG, .parts = "not the same", .pick = {1, {1}, 1},
   .others = {1, {0}}},
  {"a range of an axis", true, 1, DAP_ERR_UNSUPPORTED, .parts = "shape|NULL",
   .options = {.part.shape = ones}},
  {"another index on one process", true, 2, DAP_ERR_ARG, .parts = "part: start|not the same",
   .pick = {1, {1}, ROWS - 1}, .others = {1, {1}}},
  {"no axis is left for the grid", false, 1, DAP_ERR_UNSUPPORTED, .parts = "the array has 2|last 2",
   .options = {.dof_axes = 2}},
  {"a distributed axis as dof", false, 2, DAP_ERR_UNSUPPORTED, .parts = "axis 1|one process",
   .pick = {2, {1, 0}},
   .options = {.dof_axes = 1}},
  {"negative dof", true, 1, DAP_ERR_ARG, .parts = "dof_axes -1", .options = {.dof_axes = -1}},
  {"more dof than axes", false, 1, DAP_ERR_UNSUPPORTED, .parts = "the array has 2",
   .options = {.dof_axes = INT32_MAX}},
};
/* clang-format on */

/* ---- one row ------------------------------------------------------------------------------------------- */

static void choose(live *a, const pick *p)
{
  const int64_t index[] = {p->index, p->index};
  if (p->naxes > 0) live_pick(a, p->naxes, p->axes, index);
}

static void make(request *r, const refusal *row)
{
  const bool here = !row->last_only || test_rank() == test_nprocs() - 1;
  dap_dist dist[] = {dap_dist_padded(ROWS, test_nprocs(), 1), dap_dist_even(COLUMNS, 1)};
  dist[0].boundary[0] = dist[0].boundary[1] = row->rows != NOTHING;
  dist[0].periodic = row->rows == LOOP;
  *r = (request){.dm = NULL};
  live_make_cut(&r->a, 2, dist, FORM_C);
  if (here) r->a.options = row->options;
  choose(&r->a, here ? &row->pick : &row->others);
  if (row->gives) r->dm = make_dm(MPI_COMM_WORLD, &row->plan);
  if (row->make) row->make(r);
  if (r->dm && here && !r->a.options.dm) r->a.options.dm = r->dm;
}

static void check_refusal(const refusal *row)
{
  request r;
  dap_error err = {.rank = -1};
  PetscInt references = 0, left = 0;
  make(&r, row);
  memset(&r.a.field, 0x5a, sizeof r.a.field);
  if (r.dm) EXPECT(!PetscObjectGetReference((PetscObject)r.dm, &references));
  for (int round = 0; round < 2; round++) {
    const dap_status s = live_get(&r.a, DAP_READ_WRITE, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
    EXPECT(!r.a.field.handle.view && !r.a.field.dm && !r.a.field.global && !r.a.field.local);
  }
  if (r.dm) EXPECT(!PetscObjectGetReference((PetscObject)r.dm, &left));
  EXPECT_INT(left, references);
  r.a.options = (dap_petsc_field_options){0}; /* all elements, whatever was requested */
  live_check(&r.a, BEFORE, BEFORE, BEFORE, PADDING_POISON);
  EXPECT(!DMDestroy(&r.dm));
  live_free(&r.a);
}

static void wrong_options(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    if (test_nprocs() % refusals[i].ranks) continue;
    TEST_CASE("%s", refusals[i].why);
    check_refusal(&refusals[i]);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(petsc_starts), cmocka_unit_test(wrong_options),
                                          cmocka_unit_test(petsc_ends)};

MPI_TEST_MAIN(tests)
