/* A DMDA, and axes, that options cannot name: the same status and text on every process, and nothing is
 * left. */
#include "live.h"

#include <petscdmshell.h>

#include "variants.h"

enum { ROWS = 24, COLUMNS = 7 };

/* A DMDA of 2 directions to be changed. */
typedef struct plan {
  PetscInt size[2], procs[2], width, dof;
  DMBoundaryType outer[2];
  DMDAStencilType stencil;
} plan;

static DM make_dm(MPI_Comm comm, const plan *p)
{
  DM dm = NULL;
  EXPECT(!DMDACreate2d(comm, p->outer[0], p->outer[1], p->stencil, p->size[0], p->size[1], p->procs[0],
                       p->procs[1], p->dof, p->width, NULL, NULL, &dm));
  EXPECT(!DMSetUp(dm));
  return dm;
}

static plan usual(int nprocs)
{
  return (plan){
      .size = {COLUMNS, ROWS}, .procs = {1, nprocs}, .width = 1, .dof = 1, .stencil = DMDA_STENCIL_BOX};
}

/* ---- changes ----------------------------------------------------------------------------------------- */

/* What is handed over; `here` says that this process is among those that are wrong. */
typedef struct request {
  live a;
  DM dm;
  bool here;
} request;

static void give(request *r, const plan *p)
{
  r->dm = make_dm(MPI_COMM_WORLD, p);
  if (r->here) r->a.options.dm = r->dm;
}

static void other_sizes(request *r)
{
  plan p = usual(test_nprocs());
  p.size[1]++;
  give(r, &p);
}
static void turned_sizes(request *r)
{
  const plan p = {.size = {ROWS, COLUMNS + 1}, .procs = {test_nprocs(), 1}, .width = 1, .dof = 1};
  give(r, &p);
}
static void other_dof(request *r)
{
  plan p = usual(test_nprocs());
  p.dof = 2;
  give(r, &p);
}
static void one_direction(request *r)
{
  EXPECT(!DMDACreate1d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, ROWS, 1, 1, NULL, &r->dm) && !DMSetUp(r->dm));
  r->a.options.dm = r->dm;
}
static void three_directions(request *r)
{
  EXPECT(!DMDACreate3d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX,
                       COLUMNS, ROWS, 1, 1, PETSC_DECIDE, 1, 1, 1, NULL, NULL, NULL, &r->dm) &&
         !DMSetUp(r->dm));
  r->a.options.dm = r->dm;
}
static void mirrored(request *r)
{
  plan p = usual(test_nprocs());
  p.outer[0] = DM_BOUNDARY_MIRROR;
  p.stencil = DMDA_STENCIL_STAR;
  give(r, &p);
}
static void twisted(request *r)
{
  plan p = usual(test_nprocs());
  p.outer[1] = DM_BOUNDARY_TWIST;
  give(r, &p);
}
static void shell(request *r)
{
  EXPECT(!DMShellCreate(MPI_COMM_WORLD, &r->dm));
  r->a.options.dm = r->dm;
}
static void not_set_up(request *r)
{
  EXPECT(!DMDACreate2d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, COLUMNS, ROWS, 1,
                       test_nprocs(), 1, 1, NULL, NULL, &r->dm));
  r->a.options.dm = r->dm;
}
static void plain(request *r)
{
  const plan p = usual(test_nprocs());
  give(r, &p);
}
static void of_itself(request *r)
{
  const plan p = usual(1);
  r->dm = make_dm(MPI_COMM_SELF, &p);
  r->a.options.dm = r->dm;
}
static void of_a_part(request *r)
{
  MPI_Comm part;
  const int half = test_rank() < test_nprocs() / 2;
  MPI_Comm_split(MPI_COMM_WORLD, half, 0, &part);
  const plan p = usual(half ? test_nprocs() / 2 : test_nprocs() - test_nprocs() / 2);
  r->dm = make_dm(part, &p);
  MPI_Comm_free(&part);
  r->a.options.dm = r->dm;
}
static void other_width(request *r)
{
  plain(r);
  r->a.options.width = 2;
}
static void star_of_box(request *r)
{
  plain(r);
  r->a.options.star = true;
}
/* The array's rows have boundary padding of 1 at both ends. */
static void inner_rows(request *r, DMBoundaryType outer, PetscInt width)
{
  plan p = usual(test_nprocs());
  p.size[1] -= 2;
  p.outer[1] = outer;
  p.width = width;
  r->a.options.boundary = DM_BOUNDARY_GHOSTED;
  r->a.options.strip_periodic = true;
  give(r, &p);
}
static void too_narrow(request *r)
{
  inner_rows(r, DM_BOUNDARY_GHOSTED, 0);
}
static void periodic_outside(request *r)
{
  inner_rows(r, DM_BOUNDARY_PERIODIC, 1);
}
static void nothing_outside(request *r)
{
  inner_rows(r, DM_BOUNDARY_NONE, 1);
}
/* Each process has a DMDA of all, but not the same. */
static void two_boundaries(request *r)
{
  plan p = usual(test_nprocs());
  DM other = make_dm(MPI_COMM_WORLD, &p);
  p.outer[0] = DM_BOUNDARY_PERIODIC;
  r->dm = make_dm(MPI_COMM_WORLD, &p);
  EXPECT(!PetscObjectCompose((PetscObject)r->dm, "other", (PetscObject)other));
  r->a.options.dm = test_rank() == 0 ? r->dm : other;
  EXPECT(!DMDestroy(&other));
}
static void two_stencils(request *r)
{
  plan p = usual(test_nprocs());
  DM other = make_dm(MPI_COMM_WORLD, &p);
  p.stencil = DMDA_STENCIL_STAR;
  r->dm = make_dm(MPI_COMM_WORLD, &p);
  EXPECT(!PetscObjectCompose((PetscObject)r->dm, "other", (PetscObject)other));
  r->a.options.dm = test_rank() == 0 ? r->dm : other;
  r->a.options.star = test_rank() == 0; /* an option of its own, too */
  EXPECT(!DMDestroy(&other));
}
static void share_other_ranges(request *r)
{
  const plan p = {.size = {COLUMNS, ROWS},
                  .procs = {2, test_nprocs() / 2},
                  .width = 1,
                  .dof = 1,
                  .stencil = DMDA_STENCIL_BOX};
  r->a.options.sharing = DAP_SHARE_OR_FAIL;
  give(r, &p);
}

/* ---- axes -------------------------------------------------------------------------------------------- */

static void pick(request *r, int naxes, int first, int second, int64_t index)
{
  const int axes[] = {first, second};
  const int64_t at[] = {index, index};
  if (r->here) live_pick(&r->a, naxes, axes, at);
}
static void twice(request *r)
{
  pick(r, 2, 1, 1, 0);
}
static void no_axis(request *r)
{
  pick(r, 2, 0, 2, 0);
}
static void negative_axis(request *r)
{
  pick(r, 2, 0, -2, 0);
}
static void no_index(request *r)
{
  pick(r, 1, 1, 0, ROWS);
}
static void negative_index(request *r)
{
  pick(r, 1, 1, 0, -1);
}
static void many_axes(request *r)
{
  if (r->here) r->a.options.part.naxes = DAP_MAX_NDIM + 1;
}
static void index_alone(request *r)
{
  static const int64_t index[DAP_MAX_NDIM];
  if (r->here) r->a.options.part.start = index;
}
static void range(request *r)
{
  static const int64_t shape[DAP_MAX_NDIM] = {1, 1};
  if (r->here) r->a.options.part.shape = shape;
}
static void negative_count(request *r)
{
  if (r->here) r->a.options.part.naxes = -1;
}
static void another_axis(request *r)
{
  pick(r, 1, 1, 0, 1);
  if (!r->here) live_pick(&r->a, 1, (const int[]){0}, NULL);
}
static void another_index(request *r)
{
  pick(r, 1, 1, 0, ROWS - 1);
  if (!r->here) live_pick(&r->a, 1, (const int[]){1}, NULL);
}
static void turned(request *r)
{
  pick(r, 2, 1, 0, 0);
  if (!r->here) live_pick(&r->a, 2, (const int[]){0, 1}, NULL);
}
static void section_here_only(request *r)
{
  pick(r, 1, 1, 0, 0);
}
static void all_folded(request *r)
{
  r->a.options.dof_axes = 2;
}
static void folded_here_only(request *r)
{
  if (r->here) r->a.options.dof_axes = 1;
}
static void folded_distributed(request *r)
{
  live_pick(&r->a, 2, (const int[]){1, 0}, NULL);
  r->a.options.dof_axes = 1;
}
static void negative_dof(request *r)
{
  if (r->here) r->a.options.dof_axes = -1;
}
static void huge_dof(request *r)
{
  r->a.options.dof_axes = INT32_MAX;
}

typedef struct refusal {
  const char *why;
  void (*change)(request *r);
  bool last_only; /* the last process alone is wrong */
  int ranks;      /* at least so many, and a multiple of it */
  dap_status status;
  const char *parts;
  enum { NOTHING, EDGES, LOOP } rows; /* the array's boundary padding; with LOOP it is periodic */
} refusal;

/* clang-format off */
static const refusal refusals[] = {
    {"another size", other_sizes, false, 1, .status = DAP_ERR_ARG,
     .parts = "options: dm has 25 points in direction y|axis 0|24"},
    {"sizes of neither order", turned_sizes, false, 1, .status = DAP_ERR_ARG,
     .parts = "options: dm has 24 points in direction x|7"},
    {"degrees of freedom", other_dof, false, 1, .status = DAP_ERR_ARG,
     .parts = "2 directions and 2 degrees of freedom|2 and 1"},
    {"one direction", one_direction, false, 1, .status = DAP_ERR_ARG,
     .parts = "options: dm has 1 directions|the array 2"},
    {"three directions", three_directions, false, 1, .status = DAP_ERR_ARG,
     .parts = "options: dm has 3 directions|the array 2"},
    {"a mirror", mirrored, false, 1, .status = DAP_ERR_UNSUPPORTED,
     .parts = "direction x|DM_BOUNDARY_MIRROR"},
    {"a twist", twisted, false, 1, .status = DAP_ERR_UNSUPPORTED, .parts = "direction y|DM_BOUNDARY_TWIST"},
    {"no DMDA", shell, false, 1, .status = DAP_ERR_ARG, .parts = "not a DMDA"},
    {"a DMDA that is not set up", not_set_up, false, 1, .status = DAP_ERR_ARG,
     .parts = "not a DMDA that was set up"},
    {"no dm on all processes but one", plain, true, 2, .status = DAP_ERR_ARG,
     .parts = "options: dm is given|not the same"},
    {"a DMDA of each process", of_itself, false, 2, .status = DAP_ERR_ARG, .parts = "other processes"},
    {"a DMDA of half of the processes", of_a_part, false, 2, .status = DAP_ERR_ARG,
     .parts = "other processes"},
    {"another width", other_width, false, 1, .status = DAP_ERR_ARG, .parts = "options: width is 2, dm's 1"},
    {"a star of a box", star_of_box, false, 1, .status = DAP_ERR_ARG, .parts = "star|box"},
    {"boundary padding wider than its stencil", too_narrow, false, 1, .status = DAP_ERR_UNSUPPORTED,
     .parts = "axis 0|padding 1|width 0", .rows = EDGES},
    {"a period around boundary padding", periodic_outside, false, 1, .status = DAP_ERR_ARG,
     .parts = "direction y|_PERIODIC, that of axis 0|_GHOSTED", .rows = EDGES},
    {"nothing around boundary padding", nothing_outside, false, 1, .status = DAP_ERR_ARG,
     .parts = "direction y|_NONE, that of axis 0|_GHOSTED", .rows = EDGES},
    {"nothing around a period", nothing_outside, false, 1, .status = DAP_ERR_ARG,
     .parts = "direction y|_NONE, that of axis 0|_PERIODIC", .rows = LOOP},
    {"boundaries that differ", two_boundaries, false, 2, .status = DAP_ERR_ARG,
     .parts = "options: dm's|not the same"},
    {"stencils that differ, and the option", two_stencils, false, 2, .status = DAP_ERR_ARG,
     .parts = "options: star|not the same"},
    {"to share other ranges", share_other_ranges, false, 2, .status = DAP_ERR_SHARE, .parts = "processes"},
    {"an axis twice", twice, false, 1, .status = DAP_ERR_ARG, .parts = "1"},
    {"an axis twice on one process", twice, true, 1, .status = DAP_ERR_ARG, .parts = "1"},
    {"an axis that there is not", no_axis, false, 1, .status = DAP_ERR_ARG, .parts = "2"},
    {"an axis less than none", negative_axis, true, 1, .status = DAP_ERR_ARG, .parts = "-2"},
    {"an index at the end", no_index, false, 1, .status = DAP_ERR_ARG, .parts = "24"},
    {"a negative index", negative_index, true, 1, .status = DAP_ERR_ARG, .parts = "-1"},
    {"too many axes", many_axes, true, 1, .status = DAP_ERR_ARG, .parts = "naxes"},
    {"an index without axes", index_alone, true, 1, .status = DAP_ERR_ARG, .parts = "start is given"},
    {"a negative number of axes", negative_count, true, 1, .status = DAP_ERR_ARG, .parts = "naxes -1"},
    {"another axis on one process", another_axis, true, 2, .status = DAP_ERR_ARG, .parts = "not the same"},
    {"a range of an axis", range, true, 1, .status = DAP_ERR_UNSUPPORTED, .parts = "shape must be NULL"},
    {"another index on one process", another_index, true, 2, .status = DAP_ERR_ARG,
     .parts = "part: start|not the same"},
    {"another order on one process", turned, true, 2, .status = DAP_ERR_ARG,
     .parts = "part: axes|not the same"},
    {"a section on one process", section_here_only, true, 2, .status = DAP_ERR_ARG,
     .parts = "part: axes|not the same"},
    {"no axis is left for the grid", all_folded, false, 1, .status = DAP_ERR_UNSUPPORTED,
     .parts = "ndim 2|last 2"},
    {"dof on one process", folded_here_only, true, 2, .status = DAP_ERR_ARG,
     .parts = "options: dof|not the same"},
    {"a distributed axis as dof", folded_distributed, false, 2, .status = DAP_ERR_UNSUPPORTED,
     .parts = "axis 1|one process"},
    {"negative dof", negative_dof, true, 1, .status = DAP_ERR_ARG, .parts = "dof_axes -1"},
    {"more dof than axes", huge_dof, false, 1, .status = DAP_ERR_UNSUPPORTED, .parts = "ndim 2"},
};
/* clang-format on */

static void check_refusal(const refusal *row)
{
  request r = {.here = !row->last_only || test_rank() == test_nprocs() - 1};
  dap_error err = {.rank = -1};
  dap_dist dist[] = {dap_dist_padded(ROWS, test_nprocs(), 1), dap_dist_even(COLUMNS, 1)};
  dist[0].boundary[0] = dist[0].boundary[1] = row->rows != NOTHING;
  dist[0].periodic = row->rows == LOOP;
  live_make_cut(&r.a, 2, dist, FORM_C, NATIVE);
  row->change(&r);
  memset(&r.a.field, 0x5a, sizeof r.a.field);
  PetscInt references = 0, left = 0;
  if (r.dm) EXPECT(!PetscObjectGetReference((PetscObject)r.dm, &references));
  for (int round = 0; round < 2; round++) {
    const dap_status s = live_get(&r.a, DAP_READ_WRITE, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
    EXPECT(!r.a.field.handle.view && !r.a.field.dm && !r.a.field.global && !r.a.field.local);
  }
  if (r.dm) EXPECT(!PetscObjectGetReference((PetscObject)r.dm, &left));
  EXPECT_INT(left, references);
  r.a.options = (dap_petsc_field_options){0}; /* all elements, whatever was asked for */
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(petsc_is_initialised),
                                          cmocka_unit_test(wrong_options),
                                          cmocka_unit_test(petsc_is_finalised)};

MPI_TEST_MAIN(tests)
