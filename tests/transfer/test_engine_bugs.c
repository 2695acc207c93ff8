/* Faults that the engine had, each with what brought it out. */
#define _POSIX_C_SOURCE 200809L
#include "comm_impl.h"
#include "mpi_test.h"

#include <dapbridge/shared.h>
#include <signal.h>
#include <sys/resource.h>

/* ---- elements by their global indices ---------------------------------------------------------------- */

enum { LARGE = 2048, SMALL = 512, FEW = 32, ODD = 7919 };

static double value(int64_t i, int64_t j)
{
  return (double)(i * ODD + j);
}

typedef struct board {
  dap_layout *layout;
  dap_array array;
  bool holds;
} board;

/* An array of doubles over a grid, in memory of the library's if `shares`. */
static board board_make(MPI_Comm comm, const dap_dist dists[2], dap_order order, bool shares)
{
  board b = {0};
  dap_error err = {0};
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  EXPECT_OK(dap_layout_create(2, dists, &b.layout, &err), &err);
  b.holds = rank < dists[0].procs * dists[1].procs;
  if (shares)
    EXPECT_OK(dap_array_alloc(comm, b.layout, DAP_F8, order, &b.array, NULL, &err), &err);
  else if (b.holds)
    EXPECT_OK(dap_array_init(&b.array, b.layout, rank, DAP_F8, order, NULL, &err), &err);
  return b;
}

static void board_free(board *b)
{
  dap_array_release(&b->array);
  dap_layout_destroy(&b->layout);
}

/* Writes every element, or counts those that are not what they should be. Rows and columns are looked up
 * once: layouts are products of their axes. */
static int64_t board_walk(const board *b, int rank, bool writes)
{
  static int64_t at[2][LARGE];
  const bool is_empty = !b->holds || b->array.shape[0] == 0 || b->array.shape[1] == 0;
  int64_t wrong = 0;
  dap_error err = {0};
  for (int k = 0; k < 2 && !is_empty; k++)
    for (int64_t i = 0; i < b->array.shape[k]; i++) {
      int64_t local[2] = {0}, global[2] = {0};
      local[k] = i;
      if (dap_layout_globalize(b->layout, rank, local, global, NULL, &err)) return -1;
      at[k][i] = global[k];
    }
  for (int64_t i = 0; i < b->array.shape[0] && !is_empty; i++)
    for (int64_t j = 0; j < b->array.shape[1]; j++) {
      double *element =
          (double *)(void *)((char *)b->array.data + i * b->array.strides[0] + j * b->array.strides[1]);
      if (writes)
        *element = value(at[0][i], at[1][j]);
      else
        wrong += *element != value(at[0][i], at[1][j]);
    }
  return wrong;
}

static dap_side side_of(const board *b)
{
  return (dap_side){.layout = b->layout, .strides = b->holds ? b->array.strides : NULL};
}

static void check_move(MPI_Comm comm, const board *from, const board *to, const dap_plan_options *options)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const dap_side a = side_of(from), b = side_of(to);
  (void)board_walk(from, rank, true);
  if (EXPECT_OK(dap_plan_create(comm, &a, &b, sizeof(double), options, &plan, &err), &err))
    for (int run = 0; run < 2; run++) {
      EXPECT_OK(dap_plan_run(plan, from->array.data, to->array.data, &err), &err);
      EXPECT_INT(board_walk(to, rank, false), 0);
    }
  dap_plan_destroy(&plan);
}

/* ---- single elements apart in the source, joined in lines of the destination ------------------------- */

typedef struct joint {
  const char *why;
  int64_t rows, columns; /* blocks of the destination */
  bool shares;
} joint;

static const joint joints[] = {{"single columns, lines joined of two stretches", 12, 1, false},
                               {"the same, directly from another process", 12, 1, true},
                               {"single columns, whole lines", 64, 1, true},
                               {"pairs of columns", 12, 2, true},
                               {"long columns", 12, 32, false}};

static void lines_are_joined_of_what_lies_apart(void **state)
{
  (void)state;
  const bool four = test_nprocs() >= 4;
  for (size_t i = 0; i < sizeof joints / sizeof joints[0]; i++) {
    TEST_CASE("%s", joints[i].why);
    const dap_dist slabs[] = {dap_dist_even(LARGE, test_nprocs()), dap_dist_even(LARGE, 1)};
    const dap_dist blocks[] = {dap_dist_cyclic(LARGE, 2, joints[i].rows),
                               dap_dist_cyclic(LARGE, four ? 2 : 1, joints[i].columns)};
    board from = board_make(MPI_COMM_WORLD, slabs, DAP_ORDER_C, joints[i].shares);
    board to = board_make(MPI_COMM_WORLD, blocks, DAP_ORDER_F, joints[i].shares);
    check_move(MPI_COMM_WORLD, &from, &to, NULL);
    board_free(&from);
    board_free(&to);
    SETTLE();
  }
}

/* ---- other messages while a plan waits --------------------------------------------------------------- */

/* What rank 1 sends before it begins is taken by a receive that rank 0 posted before it began: as with any
 * collective call, rank 0 waits in the plan, and MPI there must go on. */
static void messages_go_on_while_a_plan_waits(void **state)
{
  (void)state;
  const dap_dist rows[] = {dap_dist_even(SMALL, test_nprocs()), dap_dist_even(SMALL, 1)};
  const dap_dist columns[] = {dap_dist_even(SMALL, 1), dap_dist_even(SMALL, test_nprocs())};
  board from = board_make(MPI_COMM_WORLD, rows, DAP_ORDER_C, false);
  board to = board_make(MPI_COMM_WORLD, columns, DAP_ORDER_C, false);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side a = side_of(&from), b = side_of(&to);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, sizeof(double), NULL, &plan, &err), &err);
  SETTLE();
  int word = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  (void)board_walk(&from, test_rank(), true);
  if (test_rank() == 0) MPI_Irecv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  if (test_rank() == 1) MPI_Ssend(&(int){ODD}, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  EXPECT_OK(dap_plan_run(plan, from.array.data, to.array.data, &err), &err);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_INT(word, test_rank() == 0 ? ODD : -1);
  EXPECT_INT(board_walk(&to, test_rank(), false), 0);
  dap_plan_destroy(&plan);
  board_free(&from);
  board_free(&to);
  SETTLE();
}

/* ---- one host without shared memory ------------------------------------------------------------------ */

/* Processes that no file can grow for have no shared memory. */
static void limit(bool lacks, const struct rlimit *before)
{
  struct rlimit now = *before;
  if (lacks) now.rlim_cur = 0;
  (void)signal(SIGXFSZ, SIG_IGN);
  EXPECT(!setrlimit(RLIMIT_FSIZE, &now));
}

/* Slots are of one size on all hosts. The second host's processes have more to send, so that without them
 * slots would be larger; and they are without memory to share. */
static void slots_fit_where_a_host_lacks_memory(void **state)
{
  (void)state;
  MPI_Comm comm;
  struct rlimit before = {0};
  const int n = test_nprocs(), host = test_rank() < 2 ? 0 : 1;
  const dap_plan_options options = {.memory_bytes = 100000};
  int64_t lengths[16];
  for (int r = 0; r < n; r++) lengths[r] = n == 2 ? SMALL / 2 : r < 2 ? FEW : (SMALL - 2 * FEW) / (n - 2);
  const dap_dist rows[] = {dap_dist_lengths(SMALL, n, lengths), dap_dist_even(SMALL, 1)};
  const dap_dist columns[] = {dap_dist_even(SMALL, 1), dap_dist_even(SMALL, n)};
  dap_plan *plan = NULL;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, host) && !getrlimit(RLIMIT_FSIZE, &before));
  board from = board_make(comm, rows, DAP_ORDER_C, false), to = board_make(comm, columns, DAP_ORDER_C, false);
  const dap_side a = side_of(&from), b = side_of(&to);
  (void)board_walk(&from, test_rank(), true);
  limit(host == 1, &before);
  EXPECT_OK(dap_plan_create(comm, &a, &b, sizeof(double), &options, &plan, &err), &err);
  limit(false, &before);
  SETTLE();
  EXPECT(dap_plan_summarize(plan).bytes_buffer <= 100000);
  EXPECT_OK(dap_plan_run(plan, from.array.data, to.array.data, &err), &err);
  EXPECT_INT(board_walk(&to, test_rank(), false), 0);
  dap_plan_destroy(&plan);
  board_free(&from), board_free(&to);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* ---- options of gathers and scatters ----------------------------------------------------------------- */

/* Elements are conjugated and tripled on the way to the last process, and back again once more. */
static void gathers_and_scatters_take_options(void **state)
{
  (void)state;
  const double three[] = {3, 0};
  const dap_plan_options options = {.conjugate = true, .alpha = three};
  const dap_dist each = dap_dist_even(test_nprocs(), test_nprocs());
  const int last = test_nprocs() - 1;
  double own[] = {test_rank() + 1, 5}, back[2] = {0},
         *whole = calloc(2 * (size_t)test_nprocs(), sizeof *whole);
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &each, &layout, &err), &err);
  const dap_side side = {.layout = layout, .contiguous = true, .dtype = DAP_C16};
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &side, last, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, own, whole, &err), &err);
  dap_plan_destroy(&plan);
  for (int r = 0; test_rank() == last && r <= last; r++)
    EXPECT_MSG(whole[2 * r] == 3.0 * (r + 1) && whole[2 * r + 1] == -15, "rank %d: %g%+gi", r, whole[2 * r],
               whole[2 * r + 1]);
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, last, &side, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, whole, back, &err), &err);
  dap_plan_destroy(&plan);
  EXPECT_MSG(back[0] == 9 * own[0] && back[1] == 9 * own[1], "%g%+gi", back[0], back[1]);
  dap_layout_destroy(&layout);
  free(whole);
  SETTLE();
}

/* ---- direct copies alone ----------------------------------------------------------------------------- */

/* Memory of the library's that other processes do not see is to them as any other: nothing goes another way
 * unasked. */
static void direct_alone_is_refused_where_memory_is_not_seen(void **state)
{
  (void)state;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, test_rank(), &half);
  int halves = 0;
  MPI_Comm_size(half, &halves);
  const dap_dist block = dap_dist_even(100 * (int64_t)test_nprocs(), test_nprocs());
  const dap_dist cyclic = dap_dist_cyclic(block.size, test_nprocs(), 1),
                 part = dap_dist_even(100 * (int64_t)halves, halves);
  const dap_plan_options options = {.transports = DAP_TRANSPORT_DIRECT};
  dap_layout *from = NULL, *to = NULL, *parts = NULL;
  dap_array array = {0};
  dap_plan *plan = NULL;
  dap_error err = {0};
  double destination[101] = {0};
  EXPECT_OK(dap_layout_create(1, &block, &from, &err), &err);
  EXPECT_OK(dap_layout_create(1, &cyclic, &to, &err), &err);
  EXPECT_OK(dap_layout_create(1, &part, &parts, &err), &err);
  EXPECT_OK(dap_array_alloc(half, parts, DAP_F8, DAP_ORDER_C, &array, NULL, &err), &err);
  const dap_side a = {.layout = from, .contiguous = true}, b = {.layout = to, .contiguous = true};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &options, &plan, &err), &err);
  SETTLE();
  const dap_status s = dap_plan_run(plan, array.data, destination, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "options.transports|direct");
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  dap_layout_destroy(&parts);
  MPI_Comm_free(&half);
  SETTLE();
}

/* ---- empty destinations ------------------------------------------------------------------------------ */

/* Strides multiplied up from extents of 0 are 0, and nothing is written through them. */
static void strides_of_empty_buffers_do_not_matter(void **state)
{
  (void)state;
  const dap_dist cut[] = {dap_dist_even(3, 1), dap_dist_lengths(2, test_nprocs(), (int64_t[]){2, 0, 0, 0})};
  const int64_t of_two[] = {16, 8}, of_none[] = {0, 8};
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, cut, &layout, &err), &err);
  const dap_side from = {.layout = layout, .contiguous = true},
                 to = {.layout = layout, .strides = test_rank() ? of_none : of_two};
  double source[] = {1, 2, 3, 4, 5, 6}, destination[6] = {0};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, &to, 8, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, test_rank() ? NULL : source, test_rank() ? NULL : destination, &err), &err);
  for (int i = 0; i < 6; i++) EXPECT(destination[i] == (test_rank() ? 0 : i + 1));
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- buffers that overlap ---------------------------------------------------------------------------- */

enum { WIDE = 16 /* elements from one row to the next */, ROWS = 4, COLUMNS = 6 };

/* Refused by all before anything is written, if those of one process do; even and odd columns of one buffer
 * do not. */
static void overlapping_buffers_are_refused(void **state)
{
  (void)state;
  const int n = test_nprocs(), last = test_rank() == n - 1;
  const dap_dist dists[] = {dap_dist_even(ROWS * n, n), dap_dist_even(COLUMNS, 1)};
  const int64_t strides[] = {WIDE * sizeof(double), 2 * sizeof(double)};
  double memory[(ROWS + 1) * WIDE];
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  const dap_side side = {.layout = layout, .strides = strides};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &side, &side, sizeof(double), NULL, &plan, &err), &err);
  for (int i = 0; i < (ROWS + 1) * WIDE; i++) memory[i] = i;
  const dap_status s = dap_plan_run(plan, memory, last ? memory + 2 : memory + 1, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "overlap");
  EXPECT_INT(err.rank, n - 1);
  for (int i = 0; i < (ROWS + 1) * WIDE; i++) EXPECT(memory[i] == i);
  EXPECT_OK(dap_plan_run(plan, memory, memory + 1, &err), &err);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) EXPECT(memory[WIDE * i + 2 * j + 1] == WIDE * i + 2 * j);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Also of as many axes as there can be. */
static void overlapping_buffers_of_many_axes_are_refused(void **state)
{
  (void)state;
  enum { COUNT = 1 << DAP_MAX_NDIM };
  const int n = test_nprocs(), is_last = test_rank() == n - 1;
  double memory[COUNT + 1], other[COUNT];
  dap_dist dists[DAP_MAX_NDIM] = {dap_dist_even(2 * (int64_t)n, n)};
  for (int k = 1; k < DAP_MAX_NDIM; k++) dists[k] = dap_dist_local(2);
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(DAP_MAX_NDIM, dists, &layout, &err), &err);
  const dap_side side = {.layout = layout, .contiguous = true};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &side, &side, sizeof(double), NULL, &plan, &err), &err);
  for (int i = 0; i <= COUNT; i++) memory[i] = i;
  const dap_status s = dap_plan_run(plan, memory, is_last ? memory + 1 : other, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "overlap");
  EXPECT_INT(err.rank, n - 1);
  for (int i = 0; i <= COUNT; i++) EXPECT(memory[i] == i);
  EXPECT_OK(dap_plan_run(plan, memory, other, &err), &err);
  for (int i = 0; i < COUNT; i++) EXPECT(other[i] == i);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Strides that are not 0, but put elements on each other: to be read, not to be written. */
static void overlapping_elements_are_refused(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(ROWS, 1), dap_dist_even(COLUMNS, 1)};
  const int64_t strides[] = {sizeof(double), sizeof(double)};
  const int root = 0;
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  const dap_side from = {.layout = layout, .ranks = &root, .contiguous = true},
                 to = {.layout = layout, .ranks = &root, .strides = strides};
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &from, &to, 8, NULL, &plan, &err), &err,
                    DAP_ERR_BUFFER, "several elements at one place");
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &to, &from, 8, NULL, &plan, &err), &err);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- previews of listed axes ------------------------------------------------------------------------- */

enum { LISTED = 64 };

static void lists_that_are_known_have_previews(void **state)
{
  (void)state;
  const int n = test_nprocs();
  int64_t indices[LISTED], lengths[16];
  const int64_t *lists[16];
  for (int i = 0; i < LISTED; i++) indices[i] = i * 37 % LISTED;
  for (int r = 0; r < n; r++) {
    const int first = LISTED * r / n;
    lengths[r] = LISTED * (r + 1) / n - first;
    lists[r] = indices + first;
  }
  const dap_dist listed[] = {dap_dist_unstructured(LISTED, n, lengths, lists), dap_dist_even(3, 1)};
  const dap_dist even[] = {dap_dist_even(LISTED, n), dap_dist_even(3, 1)};
  dap_layout *layouts[2] = {NULL, NULL};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, listed, &layouts[0], &err), &err);
  EXPECT_OK(dap_layout_create(2, even, &layouts[1], &err), &err);
  for (int way = 0; way < 2; way++) {
    const dap_side from = {.layout = layouts[way], .contiguous = true},
                   to = {.layout = layouts[1 - way], .contiguous = true};
    dap_plan *plan = NULL;
    dap_plan_stats guess = {0};
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, &to, 8, NULL, &plan, &err), &err);
    EXPECT_OK(dap_plan_preview(n, test_rank(), &from, &to, 8, NULL, &guess, &err), &err);
    const dap_plan_stats real = dap_plan_summarize(plan);
    EXPECT_INT(guess.bytes_sent, real.bytes_sent);
    EXPECT_INT(guess.bytes_received, real.bytes_received);
    EXPECT_INT(guess.bytes_local, real.bytes_local);
    dap_plan_destroy(&plan);
  }
  for (int i = 0; i < 2; i++) dap_layout_destroy(&layouts[i]);
  SETTLE();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_joined_of_what_lies_apart),
                                     cmocka_unit_test(gathers_and_scatters_take_options),
                                     cmocka_unit_test(direct_alone_is_refused_where_memory_is_not_seen),
                                     cmocka_unit_test(strides_of_empty_buffers_do_not_matter),
                                     cmocka_unit_test(slots_fit_where_a_host_lacks_memory),
                                     cmocka_unit_test(messages_go_on_while_a_plan_waits),
                                     cmocka_unit_test(overlapping_buffers_are_refused),
                                     cmocka_unit_test(overlapping_buffers_of_many_axes_are_refused),
                                     cmocka_unit_test(overlapping_elements_are_refused),
                                     cmocka_unit_test(lists_that_are_known_have_previews)};
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
