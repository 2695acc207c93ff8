/* Thousands of views of one array, one after the other, must leave nothing behind. The tests count PETSc's
 * objects, the communicators that are made and freed (also by PETSc and BLACS), and the memory of the
 * process. The system's count of memory also finds what the library, PETSc or MPI loses.
 *
 * PETSc's own count of its memory makes views ten times slower. The tests of the life of fields, vectors
 * and matrices use this count with fewer views. Private: the bridge hides how PETSc's releases differ. */

#include "live.h"
#include "petsc_versions.h"
#include "sanitizer.h"

/* ---- communicators ----------------------------------------------------------------------------------- */

static int comms;

static int counted(int code, const MPI_Comm *comm)
{
  if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL) comms++;
  return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
  return counted(PMPI_Comm_dup(comm, made), made);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
  return counted(PMPI_Comm_dup_with_info(comm, info, made), made);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
  return counted(PMPI_Comm_split(comm, color, key, made), made);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
  return counted(PMPI_Comm_split_type(comm, type, key, info, made), made);
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
  return counted(PMPI_Comm_create(comm, group, made), made);
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
  return counted(PMPI_Comm_create_group(comm, group, tag, made), made);
}
int MPI_Comm_free(MPI_Comm *comm)
{
  comms--;
  return PMPI_Comm_free(comm);
}

/* ---- what there is at one time ----------------------------------------------------------------------- */

typedef struct census {
  int objects; /* of PETSc */
  int comms;
  double resident; /* bytes; -1 if the system does not tell */
} census;

/* Counts PETSc's objects that were made and not destroyed. */
static int objects;

static PetscErrorCode made(PetscObject object)
{
  (void)object;
  objects++;
  return 0;
}

static PetscErrorCode gone(PetscObject object)
{
  (void)object;
  objects--;
  return 0;
}

static census count_all(void)
{
  return (census){.objects = objects, .comms = comms, .resident = (double)process_bytes(true)};
}

/* ---- cycles ------------------------------------------------------------------------------------------ */

typedef struct cycle {
  any_kind kind;
  bool shared; /* expected */
  int fewer;   /* rounds, by this factor */
  live_row row;
  dap_petsc_form form;
} cycle;

/* clang-format off */
static const cycle cycles[] = {
  {FIELD, true, 1, .row = {.layout = {"shared field", 2, {24, 5}, FIRST_AXIS, .halo = {1}}}},
  {FIELD, true, 4, .row = {{"shared field, F order, periodic", 2, {5, 24}, SECOND_AXIS, .halo = {0, 1},
   .wraps = {false, true}}, .form = FORM_F}},
  {FIELD, false, 10, .row = {{"moved field", 2, .size = {24, 15}}, .options = {.width = 1,
   .sharing = DAP_SHARE_NEVER}}},
  {VECTOR, true, 1, .row = {.layout = {"shared vector", 1, {24}, .halo = {1}}}},
  {VECTOR, true, 1, .row = {.layout = {"unstructured vector", 1, {40}, .cut = {CUT_LOTS}}}},
  {VECTOR, false, 4, .row = {.layout = {"moved vector", 1, {40}, .cut = {CUT_CYCLIC}}}},
  {MATRIX, true, 1, .row = {{"shared MATDENSE", 2, .size = {24, 12}, FIRST_AXIS}, .form = FORM_F}},
  {MATRIX, true, 4, .row = {.layout = {"shell or transposed view", 2, .size = {24, 12}, FIRST_AXIS}}},
  {MATRIX, false, 20, .row = {.layout = {"MATSCALAPACK", 2, .size = {24, 12}, FIRST_AXIS}},
   DAP_PETSC_SCALAPACK},
};
/* clang-format on */

static bool go_round(const cycle *c, dap_darray array, dap_access access)
{
  any_view v = {.kind = c->kind, .of_field = c->row.options, .of_matrix = {.form = c->form}};
  dap_error err;
  if (!EXPECT_OK(any_get(MPI_COMM_WORLD, &v, array, access, &err), &err)) return false;
  const bool one = c->kind == VECTOR && test_nprocs() == 1; /* one process has one range of anything */
  if (c->kind == FIELD) EXPECT(v.field.shared_global == c->shared && v.field.shared_local == c->shared);
  EXPECT(one || any_is_shared(&v) == c->shared);
  return EXPECT_OK(any_do(&v, RESTORE, &err), &err);
}

/* Sanitizers look for leaks in another way, and keep what was freed for some time. */
#if UNDER_SANITIZER
enum { SANITIZED = true, MANY = 100 };
#elif defined(PETSC_USE_COMPLEX) || defined(PETSC_USE_64BIT_INDICES)
enum { SANITIZED = false, MANY = 1000 };
#else
enum { SANITIZED = false, MANY = 10000 };
#endif

/* This many rounds show even the loss of the smallest piece of memory in each round. See noise(). */
enum { ENOUGH = 6000 };

/* Runs thousands of rounds on few ranks with the default build of PETSc. Other runs need only find
 * differences. */
static int rounds_of(const cycle *c)
{
  const int rounds = (test_nprocs() <= 2 ? MANY : MANY / 20) / test_scale() / c->fewer;
  return rounds > ENOUGH ? ENOUGH : rounds > 40 ? rounds : 40;
}

/* Returns how much growth is noise, because free lists go on filling. Losing the smallest piece of memory
 * takes 32 bytes a round. */
static double noise(int rounds)
{
  return 96e3 + 12 * (double)rounds;
}

static void compare(const cycle *c, int rounds, const census *before, const census *after)
{
  EXPECT_MSG(after->objects == before->objects, "%s: %d objects after %d rounds, not %d", c->row.layout.why,
             after->objects, rounds, before->objects);
  EXPECT_MSG(after->comms == before->comms, "%s: %d communicators after %d rounds, not %d", c->row.layout.why,
             after->comms, rounds, before->comms);
}

static bool run_rounds(const cycle *c, int rounds, dap_darray array)
{
  bool well = true;
  for (int round = 0; round < rounds && well; round++)
    well = go_round(c, array, round % 3 ? DAP_READ_WRITE : DAP_READ);
  return well;
}

/* Memory that is lost in each round makes the process grow in every series of rounds. A free list, or a page
 * that is first touched late, does not. */
static void count_rounds(const cycle *c, dap_darray array)
{
  enum { SERIES = 3 };
  const int rounds = rounds_of(c);
  int grows = !SANITIZED, anywhere = 1, well = run_rounds(c, rounds / 10 > 12 ? rounds / 10 : 12, array);
  double growth = 0;
  for (int i = 0; i < SERIES && anywhere && well; i++) {
    const census before = count_all();
    well = run_rounds(c, rounds, array);
    const census after = count_all();
    EXPECT(before.objects > 0 && before.comms > 0); /* all are counted */
    compare(c, rounds, &before, &after);
    growth = after.resident - before.resident;
    grows = grows && growth >= noise(rounds);
    print_message("%s: %d rounds, %d objects, %d communicators, %g bytes resident more\n", c->row.layout.why,
                  rounds, after.objects, after.comms, growth);
    MPI_Allreduce(&grows, &anywhere, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  }
  EXPECT_MSG(!well || !grows, "%s: %g bytes more after %d rounds, and each time before", c->row.layout.why,
             growth, rounds);
}

static void run(const cycle *c)
{
  live a;
  TEST_CASE("%s", c->row.layout.why);
  live_make_row(&a, &c->row);
  count_rounds(c, (dap_darray){a.layout, &a.array});
  live_check(&a, BEFORE, BEFORE, BEFORE, PADDING_ANY);
  live_free(&a);
  SETTLE();
}

/* Must be the first test, because PETSc counts from its start on. One object exists all the time, to show
 * that PETSc counts. */
static Vec witness;

static void starts_counting(void **state)
{
  (void)state;
  const int before = comms;
  EXPECT(!PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
  EXPECT(!PetscInitializeNoArguments() && !dap_watch_objects(made, gone));
  objects = 0;
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 1, PETSC_DECIDE, &witness));
  EXPECT_MSG(objects > 0, "PETSc does not count its objects");
  EXPECT_MSG(comms > before, "communicators are not counted");
  SETTLE();
}

static void all_cycles(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) run(&cycles[i]);
}

static void ends(void **state)
{
  (void)state;
  EXPECT(!VecDestroy(&witness) && !PetscFinalize());
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(starts_counting),
    cmocka_unit_test(all_cycles),
    cmocka_unit_test(ends),
};

MPI_TEST_MAIN(tests)
