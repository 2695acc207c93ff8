/* Layouts beyond blocks in row-major order of ranks: lists of indices, copies on several processes, padding
 * that wraps round, ranks in an order of their own; made here or assembled; elements in either byte order.
 * Every element of every view is checked, and every one that is written back, on all processes that hold
 * it. */
#include "operand.h"
#include "variants.h"

#include <dapbridge/scalapack_calls.h>

#include <inttypes.h>

typedef enum kind { BLOCKS, CYCLIC, PADDED, WRAPPED, LISTS, OVERLAPS, COPIES, NOTHING } kind;

static const struct {
  const char *why;
  kind cut[2];
  operand_form form;
  const char *reason; /* of a move, whatever the byte order; NULL: shared where that is this machine's;
                      * of copies: "replicated" or, of an assembled layout, "unstructured" */
} rows[] = {
    {"blocks", {BLOCKS, BLOCKS}, OPERAND_C, NULL},
    {"cyclic, F order", {CYCLIC, CYCLIC}, OPERAND_F, NULL},
    {"padded", {PADDED, PADDED}, OPERAND_C, NULL},
    {"padding that wraps round", {WRAPPED, WRAPPED}, OPERAND_C, NULL},
    {"padding that wraps round, one axis, F order", {CYCLIC, WRAPPED}, OPERAND_F, NULL},
    {"blocks, backwards", {BLOCKS, BLOCKS}, OPERAND_REVERSED, "contiguous"},
    {"padded, with gaps", {PADDED, WRAPPED}, OPERAND_GAPS, "contiguous"},
    {"lists of rows", {LISTS, BLOCKS}, OPERAND_C, "axis 0: unstructured"},
    {"lists of columns, F order", {CYCLIC, LISTS}, OPERAND_F, "axis 1: unstructured"},
    {"lists of both", {LISTS, LISTS}, OPERAND_C, "axis 0: unstructured"},
    {"rows on several processes", {OVERLAPS, BLOCKS}, OPERAND_C, "axis 0: unstructured"},
    {"columns on several processes, padded rows", {PADDED, OVERLAPS}, OPERAND_C, "axis 1: unstructured"},
    {"all on several processes, F order", {OVERLAPS, OVERLAPS}, OPERAND_F, "axis 0: unstructured"},
    {"a full copy everywhere", {COPIES, COPIES}, OPERAND_C, "axis 0: |, and ScaLAPACK needs blocks"},
    {"lists of nothing", {NOTHING, OVERLAPS}, OPERAND_C, "axis 0: unstructured"},
    {"copies along rows, with gaps",
     {WRAPPED, COPIES},
     OPERAND_GAPS,
     "axis 1: |, and ScaLAPACK needs blocks"},
};

static dap_dist cut(test_random *random, kind how, int procs, variant_lists *lists)
{
  dap_dist d = dap_dist_even(5 * procs, procs);
  if (how == CYCLIC) d = dap_dist_cyclic(7 * procs + 3, procs, 3);
  if (how == CYCLIC) d.first_owner = procs - 1;
  if (how == PADDED || how == WRAPPED) d.halo = 2;
  d.periodic = d.wraps = how == WRAPPED;
  if (how == LISTS || how == OVERLAPS) d = variant_dist(random, 4 * procs + 1, procs, how == OVERLAPS, lists);
  if (how == NOTHING) d = variant_dist(random, 0, procs, true, lists);
  if (how == COPIES) d = dap_dist_replicated(procs + 3, procs);
  return d;
}

/* How a row is tried. */
typedef struct trial {
  size_t row;
  int procs[2];
  bool shuffled, assembled;
  int swapped; /* processes: none, all, or every second one */
  dap_dtype dtype;
  dap_access access;
} trial;

enum { NATIVE, SWAPPED, MIXED };

static operand make(const trial *t)
{
  variant_lists lists[2];
  dap_dist dists[2];
  dap_layout *layout;
  test_random random = test_random_init(31 + t->row);
  for (int k = 0; k < 2; k++) dists[k] = cut(&random, rows[t->row].cut[k], t->procs[k], &lists[k]);
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  if (t->shuffled) layout = variant_shuffle(&random, layout);
  if (t->assembled) layout = variant_assemble(MPI_COMM_WORLD, layout);
  operand o = operand_of(MPI_COMM_WORLD, layout, t->dtype, rows[t->row].form);
  if (t->swapped == SWAPPED || (t->swapped == MIXED && o.rank % 2 == 1)) variant_swap(&o.array);
  o.array.readonly = t->access == DAP_READ;
  return o;
}

static int64_t sum(const operand *o, int64_t mine)
{
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, o->comm);
  return mine;
}

static void check_moved(const trial *t, const operand *o, const dap_scalapack_matrix *m, bool restored)
{
  const int64_t item = dap_dtype_size(t->dtype), held = variant_held(o->layout, o->rank) * item;
  int64_t want = 0;
  if (!m->shared && t->access & DAP_READ) want += dap_layout_count(o->layout) * item;
  if (!m->shared && t->access & DAP_WRITE && restored) want += sum(o, held);
  EXPECT_INT(matrix_moved(o, m), want);
}

static void check_array(const trial *t, operand *o)
{
  const dap_array before = o->array;
  if (before.swapped) variant_swap(&o->array);
  if (t->access & DAP_WRITE)
    variant_check(o->layout, o->rank, &o->array);
  else
    check_global(o->layout, o->rank, &o->array, PADDING_POISON);
  if (before.swapped) variant_swap(&o->array);
  check_gaps(&o->buffer);
}

static void use_view(const trial *t, operand *o, dap_scalapack_matrix *m, const char *reason)
{
  dap_error err = {0};
  EXPECT_MSG(m->shared == !reason, "%s: %s", m->shared ? "shared" : "moved", m->reason);
  EXPECT_MSG(m->reason[0] && test_contains(m->reason, reason ? reason : "order is"), "reason: %s", m->reason);
  if (m->shared && !dap_layout_is_row_major(o->layout))
    EXPECT_MSG(test_contains(m->reason, "the ranks in the array's order"), "reason: %s", m->reason);
  EXPECT(!m->shared || operand_holds(o, m));
  if (t->access & DAP_READ || m->shared)
    matrix_check(m, o);
  else
    EXPECT(matrix_is(m, o, 0));
  check_moved(t, o, m, false);
  if (t->access & DAP_WRITE || !m->shared) matrix_clear(m, o, 0x11);
  if (t->access & DAP_WRITE) matrix_write(m, o);
  const bool shared = m->shared;
  EXPECT_OK(dap_scalapack_restore(m, &err), &err);
  m->shared = shared;
  check_moved(t, o, m, true);
  check_array(t, o);
}

static void run(const trial *t)
{
  TEST_CASE("%s, %d x %d processes, %s%s%s, access %d", rows[t->row].why, t->procs[0], t->procs[1],
            t->shuffled ? "shuffled, " : "", t->assembled ? "assembled, " : "",
            t->swapped == NATIVE    ? "native"
            : t->swapped == SWAPPED ? "swapped"
                                    : "swapped in part",
            (int)t->access);
  operand o = make(t);
  const bool turned = t->swapped == SWAPPED || (t->swapped == MIXED && test_nprocs() > 1);
  const char *reason = turned ? "the other byte order" : rows[t->row].reason;
  if (turned && rows[t->row].reason) reason = ""; /* either is right */
  dap_scalapack_options options = {0};
  dap_scalapack_matrix m;
  dap_error err = {0};
  dap_status s = dap_scalapack_get(o.comm, (dap_darray){o.layout, &o.array}, t->access, &options, &m, &err);
  if (EXPECT_OK(s, &err) && m.view.view) use_view(t, &o, &m, reason);
  options.sharing = DAP_SHARE_OR_FAIL;
  s = dap_scalapack_get(o.comm, (dap_darray){o.layout, &o.array}, t->access, &options, &m, &err);
  if (reason)
    expect_same_error(o.comm, s, &err, DAP_ERR_SHARE, reason);
  else
    EXPECT_OK(s, &err);
  EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
  operand_free(&o);
  SETTLE();
}

static void all_layouts_become_matrices(void **state)
{
  (void)state;
  static const dap_dtype dtypes[] = {DAP_F4, DAP_F8, DAP_C8, DAP_C16};
  static const dap_access accesses[] = {DAP_READ_WRITE, DAP_WRITE, DAP_READ};
  size_t turn = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int p = 1; p <= test_nprocs(); p++)
      for (int variant = 0; variant < 12 && test_nprocs() % p == 0; variant++, turn++)
        run(&(trial){.row = i,
                     .procs = {p, test_nprocs() / p},
                     .shuffled = variant & 1,
                     .assembled = variant & 2,
                     .swapped = variant / 4,
                     .dtype = dtypes[turn % 4],
                     .access = accesses[turn % 3]});
}

/* Processes whose layouts differ only in what axes do not show. */
static void other_orders_and_lists_are_noticed(void **state)
{
  (void)state;
  const int n = test_nprocs();
  if (n == 1) skip();
  for (int lists = 0; lists < 2; lists++) {
    TEST_CASE(lists ? "lists" : "order of ranks");
    int ranks[VARIANT_PROCS];
    variant_lists memory;
    test_random random = test_random_init(8);
    dap_dist dists[2] = {dap_dist_even(3 * n, n), dap_dist_even(4, 1)};
    if (lists) dists[0] = variant_dist(&random, 3 * n, n, false, &memory);
    int64_t *first = memory.memory[memory.lengths[0] > 1 ? 0 : 1]; /* turned round on rank 0 */
    if (lists && test_rank() == 0) {
      const int64_t kept = first[0];
      first[0] = first[1];
      first[1] = kept;
    }
    dap_layout *layout, *turned;
    EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
    for (int i = 0; i < n; i++) ranks[i] = test_rank() == 0 && !lists ? n - 1 - i : i;
    EXPECT_OK(dap_layout_reorder(layout, ranks, &turned, NULL), NULL);
    dap_layout_destroy(&layout);
    operand o = operand_of(MPI_COMM_WORLD, turned, DAP_F8, OPERAND_C);
    dap_scalapack_matrix m;
    dap_error err = {0};
    const dap_status s =
        dap_scalapack_get(o.comm, (dap_darray){o.layout, &o.array}, DAP_READ, NULL, &m, &err);
    expect_same_error(o.comm, s, &err, DAP_ERR_ARG, "the layout: not the same as on rank 0");
    operand_free(&o);
    SETTLE();
  }
}

/* Rows on all processes, in the order of ranks or backwards. */
static operand rows_of(bool backwards)
{
  const int n = test_nprocs();
  const dap_dist dists[2] = {dap_dist_even(3 * n, n), dap_dist_even(4, 1)};
  int ranks[VARIANT_PROCS];
  dap_layout *layout, *ordered;
  for (int i = 0; i < n; i++) ranks[i] = backwards ? n - 1 - i : i;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  EXPECT_OK(dap_layout_reorder(layout, ranks, &ordered, NULL), NULL);
  dap_layout_destroy(&layout);
  return operand_of(MPI_COMM_WORLD, ordered, DAP_F8, OPERAND_C);
}

/* One context for all views whose processes sit alike, another for others. */
static void each_order_of_ranks_has_its_grid(void **state)
{
  (void)state;
  operand o[3] = {rows_of(false), rows_of(true), rows_of(true)};
  dap_scalapack_matrix m[3], with;
  dap_error err = {0};
  for (int i = 0; i < 3; i++)
    EXPECT_OK(
        dap_scalapack_get(o[i].comm, (dap_darray){o[i].layout, &o[i].array}, DAP_READ, NULL, &m[i], &err),
        &err);
  EXPECT((m[0].desc[1] == m[1].desc[1]) == (test_nprocs() == 1));
  EXPECT_INT(m[2].desc[1], m[1].desc[1]);
  for (int i = 0; i < 3; i++) dap_layout_destroy(&o[i].layout); /* the views have what they need of them */
  for (int i = 0; i < 3; i++) {
    operand same = rows_of(true);
    const dap_scalapack_options options = {.aligned_with = &m[i]};
    EXPECT_OK(
        dap_scalapack_get(same.comm, (dap_darray){same.layout, &same.array}, DAP_READ, &options, &with, &err),
        &err);
    const bool fits = i > 0 || test_nprocs() == 1;
    EXPECT_MSG(with.shared == fits && (fits || test_contains(with.reason, "other places on their grid") ||
                                       test_contains(with.reason, "must be on (0, 0)")),
               "%s", with.reason);
    EXPECT_INT(with.desc[1], m[i].desc[1]);
    matrix_check(&with, &same);
    EXPECT_OK(dap_scalapack_restore(&with, &err), &err);
    operand_free(&same);
  }
  for (int i = 0; i < 3; i++) {
    EXPECT_OK(dap_scalapack_restore(&m[i], &err), &err);
    operand_free(&o[i]);
  }
  SETTLE();
}

/* Every element that this process has of a moved view. */
static void set_all(const dap_scalapack_matrix *m, double value)
{
  int64_t extents[2];
  dap_scalapack_int procs[2], place[2];
  Cblacs_gridinfo(m->desc[1], &procs[0], &procs[1], &place[0], &place[1]);
  for (int k = 0; k < 2; k++)
    extents[k] = numroc_(&m->desc[2 + k], &m->desc[4 + k], &place[k], &m->desc[6 + k], &procs[k]);
  for (int64_t j = 0; j < extents[1]; j++)
    for (int64_t i = 0; i < extents[0]; i++) ((double *)m->data)[i + j * m->desc[8]] = value;
}

enum { THIRD = 2, COLUMNS = 5 }; /* rows of a third per process; columns */

/* The first third of the rows is `values`[0], the next [1], the last as it was. */
static void check_thirds(const operand *o, const double values[2])
{
  const int64_t third = (int64_t)THIRD * test_nprocs();
  for (int64_t e = 0; e < dap_array_count(&o->array); e++) {
    const int64_t local[2] = {e / COLUMNS, e % COLUMNS};
    int64_t global[2];
    double want, got;
    EXPECT_OK(dap_layout_globalize(o->layout, o->rank, local, global, NULL, NULL), NULL);
    value_of(DAP_F8, global[0] * COLUMNS + global[1], &want);
    if (global[0] < 2 * third) want = values[global[0] / third];
    memcpy(&got, (char *)o->array.data + local[0] * o->array.strides[0] + local[1] * o->array.strides[1],
           sizeof got);
    EXPECT_MSG(got == want, "(%" PRId64 ", %" PRId64 ") is %g, not %g", global[0], global[1], got, want);
  }
}

/* Views of two parts of an array at a time: each writes its own, in whatever byte order and with whatever
 * access. */
static void parts_write_nothing_but_themselves(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const double values[2] = {-1, -2};
  for (int variant = 0; variant < 4; variant++) {
    const bool swapped = variant % 2;
    const dap_access access = variant / 2 ? DAP_WRITE : DAP_READ_WRITE;
    TEST_CASE("swapped %d, access %d", swapped, (int)access);
    const dap_dist dists[2] = {dap_dist_cyclic(3 * THIRD * n, n, 2), dap_dist_even(COLUMNS, 1)};
    operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_WIDE);
    dap_scalapack_matrix m[2];
    dap_error err = {0};
    if (swapped) variant_swap(&o.array);
    for (int i = 0; i < 2; i++) {
      const dap_part third = {.start = (const int64_t[]){(int64_t)i * THIRD * n, 0},
                              .shape = (const int64_t[]){(int64_t)THIRD * n, COLUMNS}};
      const dap_scalapack_options options = {.sharing = DAP_SHARE_NEVER, .part = third};
      EXPECT_OK(dap_scalapack_get(o.comm, (dap_darray){o.layout, &o.array}, access, &options, &m[i], &err),
                &err);
      set_all(&m[i], values[i]);
    }
    for (int i = 0; i < 2; i++) EXPECT_OK(dap_scalapack_restore(&m[i], &err), &err);
    if (swapped) variant_swap(&o.array);
    check_thirds(&o, values);
    check_gaps(&o.buffer);
    operand_free(&o);
    SETTLE();
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_layouts_become_matrices),
      cmocka_unit_test(other_orders_and_lists_are_noticed),
      cmocka_unit_test(each_order_of_ranks_has_its_grid),
      cmocka_unit_test(parts_write_nothing_but_themselves),
  };
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
