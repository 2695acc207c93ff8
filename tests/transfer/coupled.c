/* Two programs that are coupled while they run, and move arrays between them by plans: both directions,
 * layouts of all kinds that each program knows its own of, every element checked against the brute-force
 * model. The program is run as
 *     coupled accept <file>, and with it, in one job or another, coupled connect <file>: they find each
 *                                   other by the name of a port in the file
 *     coupled spawn <n> <program>   starts n processes of a program, which is this one by another name
 * and fails if any process of either program does. */
#define _POSIX_C_SOURCE 200809L /* nanosleep() */
#include <dapbridge/plan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "random_array.h"

enum { CASES = 12, MOST = 2000 /* elements */, SECONDS = 60, GAP = -99 };

typedef struct coupling {
  MPI_Comm own, inter;
  int rank;
  int sizes[2]; /* of program 0, and 1 */
  int program;  /* this one: 0 accepts or spawns, 1 connects or is spawned */
} coupling;

static int failures;

static void fail(const coupling *c, const char *what, const char *text)
{
  failures++;
  fprintf(stderr, "coupled: program %d, rank %d: %s: %s\n", c->program, c->rank, what, text);
}

static void check(const coupling *c, dap_status s, const char *what, const dap_error *err)
{
  if (s == DAP_OK) return;
  fail(c, what, err->text);
  MPI_Abort(MPI_COMM_WORLD, 1); /* the other program would wait */
}

/* ---- joined ------------------------------------------------------------------------------------------ */

static void nap(void)
{
  const struct timespec tick = {.tv_nsec = 10000000};
  nanosleep(&tick, NULL);
}

/* The file has another name until the port's name is in it. */
static void tell_port(const char *path, const char *port)
{
  char other[4096];
  snprintf(other, sizeof other, "%s.part", path);
  FILE *file = fopen(other, "w");
  if (!file || fputs(port, file) < 0 || fclose(file) || rename(other, path)) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void read_port(const char *path, char port[])
{
  FILE *file = NULL;
  const time_t start = time(NULL);
  while (!(file = fopen(path, "r")) && time(NULL) - start < SECONDS) nap();
  if (!file || !fgets(port, MPI_MAX_PORT_NAME, file)) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fclose(file);
}

/* In one job both programs have one MPI_COMM_WORLD. */
static void join(const char *role, const char *path, coupling *c)
{
  char port[MPI_MAX_PORT_NAME] = "";
  c->program = strcmp(role, "accept") != 0;
  MPI_Comm_split(MPI_COMM_WORLD, c->program, 0, &c->own);
  MPI_Comm_rank(c->own, &c->rank);
  if (c->program == 0) {
    if (c->rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
    if (c->rank == 0) tell_port(path, port);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, c->own, &c->inter);
    if (c->rank == 0) MPI_Close_port(port);
    if (c->rank == 0) remove(path);
  } else {
    if (c->rank == 0) read_port(path, port);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, c->own, &c->inter);
  }
}

static void spawn(const char *program, int count, coupling *c)
{
  char *argv[] = {NULL};
  MPI_Comm_dup(MPI_COMM_WORLD, &c->own);
  MPI_Comm_rank(c->own, &c->rank);
  MPI_Comm_spawn(program, argv, count, MPI_INFO_NULL, 0, c->own, &c->inter, MPI_ERRCODES_IGNORE);
}

static void be_spawned(MPI_Comm parent, coupling *c)
{
  c->program = 1;
  c->inter = parent;
  MPI_Comm_dup(MPI_COMM_WORLD, &c->own);
  MPI_Comm_rank(c->own, &c->rank);
}

/* ---- moved ------------------------------------------------------------------------------------------- */

/* Both programs draw the same arrays, for the model; each makes its own layout, from what its processes
 * export where that is possible. */
static dap_layout *own_layout(const coupling *c, const random_array *array, bool assembles)
{
  dap_layout *layout = random_array_layout(array), *assembled = NULL;
  test_random types = test_random_init(1);
  if (!assembles || !(random_array_is_sayable(array, "0.10") || random_array_is_sayable(array, "0.9")))
    return layout;
  assembled = assemble_again(c->own, layout, NULL, &types);
  dap_layout_destroy(&layout);
  return assembled;
}

static double value(const brute_walk *w, int turn)
{
  return (double)(w->flat + 1000000 * (int64_t)turn);
}

/* Copies are right only at their owner's and along replicated axes, and padding nowhere. */
static void fill(const coupling *c, const random_array *array, bool sends, int turn, double *buffer)
{
  int64_t n = 0;
  for (brute_walk w = brute_walk_start(&array->model, c->rank); !w.done; brute_walk_next(&w), n++)
    buffer[n] = sends && (w.part == BRUTE_OWNED || (w.part == BRUTE_COPY && w.alike)) ? value(&w, turn) : GAP;
}

static void compare(const coupling *c, const random_array *array, int turn, const double *buffer)
{
  int64_t n = 0;
  for (brute_walk w = brute_walk_start(&array->model, c->rank); !w.done; brute_walk_next(&w), n++) {
    const double want = w.part == BRUTE_PADDING ? GAP : value(&w, turn);
    if (buffer[n] == want) continue;
    char text[120];
    snprintf(text, sizeof text, "position %d in turn %d is %g, not %g", (int)n, turn, buffer[n], want);
    fail(c, random_array_text(array), text);
    return;
  }
}

static int64_t count_positions(const coupling *c, const random_array *array)
{
  int64_t n = 0;
  for (brute_walk w = brute_walk_start(&array->model, c->rank); !w.done; brute_walk_next(&w)) n++;
  return n;
}

static void run(const coupling *c, dap_plan *plan, const random_array *array, bool sends, int turn)
{
  dap_error err = {0};
  double *buffer = malloc((size_t)(count_positions(c, array) + 1) * sizeof *buffer);
  fill(c, array, sends, turn, buffer);
  check(c, dap_plan_run(plan, sends ? buffer : NULL, sends ? NULL : buffer, &err), "dap_plan_run", &err);
  if (!sends) compare(c, array, turn, buffer);
  free(buffer);
}

static dap_plan *make(const coupling *c, MPI_Comm comm, const random_array *array, bool assembles, bool sends,
                      const dap_plan_options *options)
{
  dap_error err = {0};
  dap_plan *plan = NULL;
  dap_layout *layout = own_layout(c, array, assembles);
  const dap_side side = {.layout = layout, .contiguous = true};
  check(
      c,
      dap_plan_create(comm, sends ? &side : NULL, sends ? NULL : &side, sizeof(double), options, &plan, &err),
      "dap_plan_create", &err);
  dap_layout_destroy(&layout);
  return plan;
}

/* Rank 0 of program 0 says by what it sends. */
static void show(const coupling *c, const dap_plan *plan)
{
  static char text[1 << 16];
  if (c->rank == 0 && c->program == 0 && dap_plan_describe(plan, text, sizeof text) > 0) fputs(text, stdout);
}

static void move_all(const coupling *c)
{
  static random_array arrays[2];
  static const unsigned ways[] = {0, DAP_TRANSPORT_MESSAGES, 0,
                                  DAP_TRANSPORT_MESSAGES | DAP_TRANSPORT_STAGED};
  test_random random = test_random_init(960);
  for (int i = 0; i < CASES; i++) {
    const int ndim = (int)test_random_int(&random, 1, 3), sender = i % 2;
    const dap_plan_options options = {.transports = ways[i % 4], .message_bytes = i % 3 ? 0 : 100};
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, MOST, size);
    for (int k = 0; k < 2; k++)
      random_array_draw(&random, c->sizes[k ? 1 - sender : sender], ndim, size, &arrays[k]);
    const bool sends = c->program == sender;
    const random_array *array = &arrays[sends ? 0 : 1];
    dap_plan *plan = make(c, c->inter, array, i % 2 == 0, sends, &options);
    if (i == 0) show(c, plan);
    for (int turn = 0; turn < 3; turn++) run(c, plan, array, sends, turn);
    dap_plan_destroy(&plan);
  }
}

/* The caller's own communicator of both programs; then a plan that outlives the intercommunicator. */
static void move_late(coupling *c)
{
  static random_array arrays[2];
  test_random random = test_random_init(961);
  const int64_t size[] = {40, 30};
  dap_error err = {0};
  MPI_Comm both = MPI_COMM_NULL;
  int rank = -1;
  for (int k = 0; k < 2; k++) random_array_draw(&random, c->sizes[k], 2, size, &arrays[k]);
  const random_array *array = &arrays[c->program];
  MPI_Intercomm_merge(c->inter, c->program, &both);
  MPI_Comm_rank(both, &rank);
  int ranks[2][BRUTE_PROCS];
  for (int i = 0; i < BRUTE_PROCS; i++) ranks[0][i] = i, ranks[1][i] = c->sizes[0] + i;
  dap_layout *layout = own_layout(c, array, true);
  const dap_side mine = {.layout = layout, .contiguous = true, .ranks = ranks[c->program]}, none = {0};
  dap_plan *merged = NULL;
  check(c,
        dap_plan_create(both, c->program == 0 ? &mine : &none, c->program == 0 ? &none : &mine,
                        sizeof(double), NULL, &merged, &err),
        "dap_plan_create over a merged communicator", &err);
  run(c, merged, array, c->program == 0, 1);
  dap_plan_destroy(&merged);
  dap_layout_destroy(&layout);
  MPI_Comm_free(&both); /* Open MPI 4 hangs in disconnecting it */

  dap_plan *late = make(c, c->inter, array, true, c->program == 0, NULL);
  run(c, late, array, c->program == 0, 2);
  MPI_Comm_disconnect(&c->inter);
  run(c, late, array, c->program == 0, 3);
  dap_plan_destroy(&late);
}

/* ---- main -------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
  coupling c = {.own = MPI_COMM_NULL, .inter = MPI_COMM_NULL};
  MPI_Comm parent = MPI_COMM_NULL;
  int others = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    be_spawned(parent, &c);
  else if (argc == 4 && strcmp(argv[1], "spawn") == 0)
    spawn(argv[3], atoi(argv[2]), &c);
  else if (argc == 3)
    join(argv[1], argv[2], &c);
  else
    return 2;
  MPI_Comm_size(c.inter, &c.sizes[c.program]);
  MPI_Comm_remote_size(c.inter, &c.sizes[1 - c.program]);
  move_all(&c);
  MPI_Allreduce(&failures, &others, 1, MPI_INT, MPI_SUM, c.inter); /* of the other program */
  move_late(&c);
  MPI_Comm_free(&c.own);
  /* apart, each ends when it likes */
  for (int i = 0; i < 50 && c.program == 1; i++) nap();
  MPI_Finalize();
  return failures + others > 0;
}
