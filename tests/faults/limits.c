/* Moves elements in all ways, under a limit of the system, and checks each:
 *
 *     limits plain|files|space [words that describe the plan, or with ! before them do not]
 *
 * files: no file can be opened; space: no memory of more than a few MiB is to be had, which may be an error,
 * the same on all processes, but never a crash. */
#include "mpi_test.h"

#include <dapbridge/shared.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIZE = 60000, FEW = 1000 };

static const char *kind, *described; /* the arguments */

/* ---- limits -------------------------------------------------------------------------------------------- */

/* To the lowest that is free, so that MPI's stay of use. */
static bool forbid_files(void)
{
  const int file = open("/dev/null", O_RDONLY);
  struct rlimit limit;
  if (file < 0 || close(file) || getrlimit(RLIMIT_NOFILE, &limit)) return false;
  limit.rlim_cur = (rlim_t)file;
  return !setrlimit(RLIMIT_NOFILE, &limit);
}

static bool forbid_space(void)
{
  struct rlimit limit;
  long pages = 0;
  FILE *sizes = fopen("/proc/self/statm", "r");
  const bool is_read = sizes && fscanf(sizes, "%ld", &pages) == 1;
  if (sizes) (void)fclose(sizes);
  if (!is_read || getrlimit(RLIMIT_AS, &limit)) return false;
  limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (4 << 20);
  return !setrlimit(RLIMIT_AS, &limit);
}

static void allow_space(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_AS, &limit);
}

/* ---- moves --------------------------------------------------------------------------------------------- */

static double values[2][SIZE];

static void make_layouts(dap_layout *layouts[2])
{
  int64_t lengths[64];
  const int n = test_nprocs();
  for (int r = 0; r < n; r++) lengths[r] = r == 0 ? SIZE - (n - 1) * (int64_t)FEW : FEW;
  const dap_dist dists[2] = {dap_dist_even(SIZE, n), dap_dist_lengths(SIZE, n, lengths)};
  for (int k = 0; k < 2; k++) EXPECT_OK(dap_layout_create(1, &dists[k], &layouts[k], NULL), NULL);
}

static double value(const dap_layout *layout, int64_t i)
{
  int64_t global = 0;
  (void)dap_layout_globalize(layout, test_rank(), &i, &global, NULL, NULL);
  return (double)global;
}

static void check(const dap_layout *layout, const double *at)
{
  for (int64_t i = 0; i < dap_layout_extent(layout, 0, test_rank()); i++)
    if (!EXPECT_MSG(at[i] == value(layout, i), "element %d is %g", (int)i, at[i])) break;
}

/* A failure is the same on all processes, and there is none unless memory is short. */
static bool is_made(dap_status s, const dap_error *err, bool may_fail)
{
  if (!s) return true;
  EXPECT_MSG(may_fail, "%s", err->text);
  expect_same_error(MPI_COMM_WORLD, s, err, DAP_ERR_NOMEM, "");
  return false;
}

static void move(dap_layout *layouts[2], unsigned transports, bool may_fail, const char *words)
{
  const dap_side from = {.layout = layouts[0], .contiguous = true},
                 to = {.layout = layouts[1], .contiguous = true};
  const dap_plan_options options = {.transports = transports};
  dap_plan *plan = NULL;
  dap_error err = {0};
  char text[4096] = "";
  TEST_CASE("transports 0x%x", transports);
  memset(values[1], 0, sizeof values[1]);
  const dap_status s = dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(double), &options, &plan, &err);
  if (is_made(s, &err, may_fail) && EXPECT_OK(dap_plan_run(plan, values[0], values[1], &err), &err))
    check(layouts[1], values[1]);
  (void)dap_plan_describe(plan, text, sizeof text);
  if (words && !s && test_nprocs() > 1)
    EXPECT_MSG(words[0] == '!' ? !strstr(text, words + 1) : strstr(text, words) != NULL, "not by %s: %s",
               words, text);
  dap_plan_destroy(&plan);
  SETTLE();
}

/* To memory that the processes share, if that is to be had. */
static void move_shared(dap_layout *layouts[2], bool may_fail)
{
  const dap_side from = {.layout = layouts[0], .contiguous = true};
  dap_array array = {0};
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("an array that is shared, if it can be");
  dap_status s = dap_array_alloc(MPI_COMM_WORLD, layouts[1], DAP_F8, DAP_ORDER_C, &array, NULL, &err);
  if (is_made(s, &err, may_fail)) {
    dap_side to = dap_side_of((dap_darray){layouts[1], &array});
    to.dtype = DAP_NONE;
    s = dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(double), NULL, &plan, &err);
    if (is_made(s, &err, may_fail) && EXPECT_OK(dap_plan_run(plan, values[0], array.data, &err), &err))
      check(layouts[1], array.data);
  }
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  SETTLE();
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void moves_all_the_same(void **state)
{
  (void)state;
  enum { ALL = DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES };
  dap_layout *layouts[2];
  make_layouts(layouts);
  for (int64_t i = 0; i < dap_layout_extent(layouts[0], 0, test_rank()); i++)
    values[0][i] = value(layouts[0], i);
  const bool is_space = !strcmp(kind, "space");
  if (!strcmp(kind, "files")) EXPECT(forbid_files());
  if (is_space) EXPECT(forbid_space());
  move(layouts, ALL, is_space, described);
  move(layouts, 0, is_space, NULL);
  move(layouts, DAP_TRANSPORT_MESSAGES, is_space, NULL);
  move_shared(layouts, is_space);
  if (is_space) allow_space();
  move(layouts, 0, false, NULL);
  move_shared(layouts, false);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(moves_all_the_same)};

int main(int argc, char **argv)
{
  kind = argc > 1 ? argv[1] : "plain";
  described = argc > 2 ? argv[2] : NULL;
  return mpi_test_main(&argc, &argv, tests, 1);
}
