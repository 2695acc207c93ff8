/* Runs moves and halo updates on thousands of simulated ranks. Every element is compared with the map, the
 * messages of each rank with the preview, and those of halo updates with the number of neighbours.
 *
 * Memory is counted on each rank. Arrays grow with the number of ranks, so that a rank's part keeps its
 * size. Only its copies grow, with the square root of this number. Arguments select tests: those whose
 * names contain one of the arguments. Private: dap_query_all() and the directory of a layout of lists have
 * no public functions. */
#include "allocations.h"
#include "check.h"
#include "comm_impl.h"
#include "lists_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  PART = 64,       /* elements of a rank, if an array has one axis */
  LONG = 256,      /* elements of a rank in arrays whose messages go in two phases on 1,024 and 4,096 ranks */
  SHUFFLE = 40503, /* odd, which permutes the indices below a power of two */
  PREVIEWS = 16,   /* ranks that preview plans; a preview needs all lists */
  QUESTIONS = 300, /* questions of each rank */
  MOST_ASK = 2 << 20,
  ASK_RANK = 32 /* most bytes for questions: in all, and per rank */
};

static char **chosen; /* arguments of the program */

/* Begins the test with this name. Returns false if it is not selected. */
static bool begin(const char *name)
{
  test_name = name;
  for (char **part = chosen; *part; part++)
    if (strstr(name, *part)) return true;
  return !*chosen;
}

/* ---- blocks and cycles ---------------------------------------------------------------------------- */

/* Makes arrays. The protocol cannot describe addends, so an array of addends is exported as one of copies. */
static made make(int ndim, const dap_dist dists[])
{
  made m = {0};
  dap_dist said[2];
  dap_layout *copies = NULL;
  dap_error err;
  for (int k = 0; k < ndim; k++)
    said[k] =
        dists[k].kind == DAP_DIST_PARTIAL ? dap_dist_replicated(dists[k].size, dists[k].procs) : dists[k];
  must(dap_layout_create(ndim, dists, &m.layout, &err), &err);
  must(dap_layout_create(ndim, said, &copies, &err), &err);
  must(dap_array_init(&m.array, copies, my_rank, DAP_I8, DAP_ORDER_C, NULL, &err), &err);
  dap_layout_destroy(&copies);
  return m;
}

static void end(made *m)
{
  dap_array_release(&m->array);
  dap_layout_destroy(&m->layout);
}

static void move_dists(const char *name, int ndim, const dap_dist from[], const dap_dist to[], bool fills)
{
  if (!begin(name)) return;
  made a = make(ndim, from), b = make(ndim, to);
  move(&a, &b, fills, b.layout);
  end(&a);
  end(&b);
}

/* Returns how many of the block at `coord` and its neighbours exist in a line of `procs` blocks. */
static int count_near(int coord, int procs)
{
  return 1 + (coord > 0) + (coord < procs - 1);
}

static void update_all(int rows, int columns)
{
  const dap_dist square[] = {dap_dist_padded(8 * rows, rows, 1), dap_dist_padded(8 * columns, columns, 1)};
  if (!begin("halo of blocks")) return;
  made padded = make(2, square);
  update(&padded, count_near(my_rank / columns, rows) * count_near(my_rank % columns, columns) - 1);
  end(&padded);
}

/* Moves whole lines to and from replicated and partial arrays. All processes in a row of the grid hold the
 * same lines. */
static void move_copies(int rows, int columns)
{
  const dap_dist lines[] = {dap_dist_even(INT64_C(2) * nprocs, nprocs), dap_dist_local(4)};
  const dap_dist cyclic[] = {dap_dist_cyclic(INT64_C(2) * nprocs, nprocs, 1), dap_dist_local(4)};
  const dap_dist replicated[] = {dap_dist_even(INT64_C(2) * nprocs, rows), dap_dist_replicated(4, columns)};
  const dap_dist partial[] = {dap_dist_even(INT64_C(2) * nprocs, rows), dap_dist_partial(4, columns)};
  move_dists("lines to replicated", 2, lines, replicated, true);
  move_dists("replicated to cyclic", 2, replicated, cyclic, false);
  move_dists("partial to lines", 2, partial, lines, false);
}

static void move_all(void)
{
  const int64_t size = (int64_t)PART * nprocs;
  int rows = 1; /* rows of the grid; nprocs is a power of 4 */
  while (rows * rows < nprocs) rows *= 2;
  const int columns = nprocs / rows;
  const dap_dist long_blocks[] = {dap_dist_even((int64_t)LONG * nprocs, nprocs)};
  const dap_dist long_cyclic[] = {dap_dist_cyclic((int64_t)LONG * nprocs, nprocs, 1)};
  const dap_dist blocks[] = {dap_dist_even(size, nprocs)};
  const dap_dist cyclic[] = {dap_dist_cyclic(size, nprocs, 1)};
  const dap_dist cyclic_8[] = {dap_dist_cyclic(size, nprocs, 8)};
  const dap_dist lines[] = {dap_dist_even(nprocs, nprocs), dap_dist_local(PART)};
  const dap_dist grid[] = {dap_dist_even(nprocs, rows), dap_dist_even(PART, columns)};
  const dap_dist square[] = {dap_dist_padded(8 * rows, rows, 1), dap_dist_padded(8 * columns, columns, 1)};
  const dap_dist cyclic_2[] = {dap_dist_cyclic(8 * rows, rows, 2), dap_dist_cyclic(8 * columns, columns, 2)};
  move_dists("blocks to cyclic(1)", 1, blocks, cyclic, false);
  move_dists("cyclic(1) to blocks", 1, cyclic, blocks, false);
  move_dists("long cyclic(1) to blocks", 1, long_cyclic, long_blocks, false);
  move_dists("cyclic(8) to cyclic(1)", 1, cyclic_8, cyclic, false);
  move_dists("lines to a grid", 2, lines, grid, false);
  move_dists("cyclic(2)^2 to padded", 2, cyclic_2, square, true);
  move_dists("padded to cyclic(2)^2", 2, square, cyclic_2, false);
  move_copies(rows, columns);
  update_all(rows, columns);
}

/* ---- lists ---------------------------------------------------------------------------- */

static int64_t shuffled(int64_t position)
{
  return (int64_t)((uint64_t)position * SHUFFLE % ((uint64_t)PART * (uint64_t)nprocs));
}

/* Assembles a layout in which each rank knows only its own list. */
static made assemble(int64_t indices[])
{
  made m = {0};
  dap_error err;
  m.array = (dap_array){.abi = DAP_ARRAY_ABI,
                        .version = "0.10.0",
                        .dim_count = 1,
                        .ndim = 1,
                        .dtype = DAP_I8,
                        .shape = {PART},
                        .strides = {8},
                        .dims = {{.dist_type = 'u',
                                  .size = (int64_t)PART * nprocs,
                                  .proc_grid_size = nprocs,
                                  .proc_grid_rank = my_rank,
                                  .indices_dtype = DAP_I8,
                                  .index_count = PART,
                                  .indices = indices,
                                  .one_to_one = true}}};
  for (int64_t i = 0; i < PART; i++) indices[i] = shuffled((int64_t)my_rank * PART + i);
  m.array.data = calloc(PART, 8);
  allocations_start(0);
  must(dap_layout_assemble(everyone, &m.array, &m.layout, &err), &err);
  const int64_t held = largest(allocations_held()), peak = largest(allocations_peak());
  const dap_directory *directory = &m.layout->maps[0].lists->directory;
  if (my_rank == 0)
    (void)printf("layout of lists: holds %" PRId64 " bytes, %" PRId64 " meanwhile; of the directory %" PRId64
                 " of %" PRId64 " entries\n",
                 held, peak, directory->count, (int64_t)PART * nprocs);
  expect("entries of the directory", directory->count, PART);
  return m;
}

/* Makes the same layout, with all lists known here. */
static dap_layout *know_all(void)
{
  int64_t *all = malloc((size_t)PART * (size_t)nprocs * sizeof *all),
          *lengths = malloc((size_t)nprocs * sizeof *lengths);
  const int64_t **lists = malloc((size_t)nprocs * sizeof *lists);
  dap_layout *layout = NULL;
  dap_error err;
  for (int64_t i = 0; i < (int64_t)PART * nprocs; i++) all[i] = shuffled(i);
  for (int p = 0; p < nprocs; p++) {
    lengths[p] = PART;
    lists[p] = all + (int64_t)p * PART;
  }
  const dap_dist dist = dap_dist_unstructured((int64_t)PART * nprocs, nprocs, lengths, lists);
  must(dap_layout_create(1, &dist, &layout, &err), &err);
  free(all);
  free(lengths);
  free(lists);
  return layout;
}

static void move_lists(void)
{
  static int64_t indices[PART];
  if (!begin("blocks to lists")) return;
  const dap_dist dist = dap_dist_even((int64_t)PART * nprocs, nprocs);
  made blocks = make(1, &dist), lists;
  dap_layout *known = NULL;
  lists = assemble(indices);
  if (my_rank % (nprocs / PREVIEWS) == 0) known = know_all();
  move(&blocks, &lists, false, known);
  dap_layout_destroy(&known);
  free(lists.array.data);
  dap_layout_destroy(&lists.layout);
  end(&blocks);
}

/* ---- questions ---------------------------------------------------------------------------- */

static int ask_first(void *context, int64_t i, int64_t question[])
{
  (void)context;
  question[0] = i;
  return 0;
}

static void answer(void *context, int from, const int64_t question[], int64_t reply[])
{
  (void)context;
  reply[0] = from * INT64_C(1000) + question[0];
}

static void take(void *context, int64_t i, const int64_t reply[])
{
  (void)context;
  expect("an answer", reply[0], my_rank * INT64_C(1000) + i);
}

/* All ranks ask the same rank. */
static void ask_one(void)
{
  const dap_query query = {.count = QUESTIONS,
                           .question_words = 1,
                           .answer_words = 1,
                           .question = ask_first,
                           .answer = answer,
                           .take = take};
  dap_error err;
  if (!begin("all ask rank 0")) return;
  allocations_start(0);
  must(dap_query_all(everyone, &query, &err), &err);
  const int64_t peak = allocations_peak(), most = largest(peak);
  if (my_rank == 0) (void)printf("%s %d questions each: %" PRId64 " bytes\n", test_name, QUESTIONS, most);
  if (my_rank == 0) expect_most("memory for questions", most, MOST_ASK + ASK_RANK * nprocs);
}

int main(int argc, char **argv)
{
  (void)setvbuf(stdout, NULL, _IOLBF, 0);
  MPI_Init(&argc, &argv);
  chosen = argv + 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &everyone);
  MPI_Comm_rank(everyone, &my_rank);
  MPI_Comm_size(everyone, &nprocs);
  if (my_rank == 0)
    (void)printf("%d ranks; the most of any rank\n%-24s %5s %8s %6s %7s %8s %8s %8s %8s\n", nprocs, "",
                 "peers", "messages", "sent", "numbers", "plan", "buffers", "held", "peak");
  move_all();
  ask_one();
  move_lists();
  const int code = finish();
  MPI_Comm_free(&everyone);
  MPI_Finalize();
  return code;
}
