/* Tests the reasons for moving arrays. test_layouts.c tests which arrays are shared. Every element of
 * every view is checked. */
#include "operand.h"

/* How an axis is cut over `procs` processes. Sizes follow from the cut. */
typedef enum pattern {
  EQUAL,          /* 4 each */
  LONGER_LAST,    /* 4 each, the last has 5 */
  UNEVEN,         /* 3, 5, 3, 5, ... */
  SHORTER_SECOND, /* 4, 3, 3, ... */
  HOLE            /* 4 each, none on the second of three and more */
} pattern;

static dap_dist cut(pattern p, int procs, int64_t lengths[])
{
  int64_t size = 0;
  for (int c = 0; c < procs; c++) {
    lengths[c] = 4;
    if (p == UNEVEN) lengths[c] = c % 2 ? 5 : 3;
    if (p == SHORTER_SECOND && c > 0) lengths[c] = 3;
    if (p == LONGER_LAST && c == procs - 1) lengths[c] = 5;
    if (p == HOLE && c == 1 && procs > 2) lengths[c] = 0;
    size += lengths[c];
  }
  return dap_dist_lengths(size, procs, lengths);
}

/* Moved iff axis `axis` has at least `least` processes: NEVER, ALWAYS or a number. */
enum { ALWAYS = 1, NEVER = 1000 };
enum { COPY = 1, OP_N = 2, OP_T = 4 };

/* clang-format off */
static const struct {
  const char *why;
  pattern cut[2];
  test_form form;
  int wish; /* COPY | OP_N | OP_T */
  char op;
  int axis, least;
  const char *reason; /* part of it, when moved */
} rows[] = {
  {"wanted op is the one that shares", {EQUAL, EQUAL}, FORM_C, OP_T, 'T', 0, NEVER, ""},
  {"wanted op is the one that shares, F", {EQUAL, EQUAL}, FORM_F, OP_N, 'N', 0, NEVER, ""},
  {"copy on demand", {EQUAL, EQUAL}, FORM_C, COPY, 'T', 0, ALWAYS, "a copy"},
  {"copy on demand keeps F order", {EQUAL, EQUAL}, FORM_F, COPY, 'N', 0, ALWAYS, "a copy"},
  {"C order but op N", {EQUAL, EQUAL}, FORM_C, OP_N, 'N', 0, ALWAYS, "op 'N'|axis 0|contiguous"},
  {"F order but op T", {EQUAL, EQUAL}, FORM_F, OP_T, 'T', 0, ALWAYS, "op 'T'|axis 1|contiguous"},
  {"gaps between elements", {EQUAL, EQUAL}, FORM_GAPS, 0, 'T', 0, ALWAYS, "contiguous|stride is"},
  {"backwards", {EQUAL, EQUAL}, FORM_REVERSED, 0, 'T', 0, ALWAYS, "contiguous|stride is -"},
  {"upside down", {EQUAL, EQUAL}, FORM_UPSIDE, 0, 'T', 0, ALWAYS, "leading dimension"},
  {"unaligned", {EQUAL, EQUAL}, FORM_ODD, 0, 'T', 0, ALWAYS, "address|multiple"},
  {"uneven blocks of rows", {UNEVEN, EQUAL}, FORM_C, 0, 'T', 0, 2, "axis 0|process 0|process 1 owns 5"},
  {"uneven blocks of columns", {EQUAL, UNEVEN}, FORM_F, 0, 'N', 1, 2, "axis 1|process 0|process 1 owns 5"},
  {"a longer last block", {LONGER_LAST, EQUAL}, FORM_C, 0, 'T', 0, 2, "owns 4|owns 5"},
  {"a shorter block that is not the last", {SHORTER_SECOND, EQUAL}, FORM_C, 0, 'T', 0, 3,
   "process 0 owns 4|process 1 owns 3|last"},
  {"an empty process between owners", {HOLE, EQUAL}, FORM_C, 0, 'T', 0, 3, "axis 0|process 1|nothing"},
};
/* clang-format on */

/* The bytes of all elements, which one pass over the array moves. */
static int64_t whole(const held_array *o)
{
  return dap_layout_count(o->layout) * dap_dtype_size(o->array.dtype);
}

/* Returns the bytes moved for the view so far, on all processes of its communicator. */
static int64_t all_moved(const held_array *o, const dap_scalapack_matrix *m)
{
  int64_t moved = m->moved_bytes;
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, o->comm);
  return moved;
}

static void check_view(const held_array *o, const dap_scalapack_matrix *m, bool moved, const char *reason)
{
  EXPECT_MSG(m->shared == !moved, "%s: %s", m->shared ? "shared" : "moved", m->reason);
  EXPECT_MSG(m->reason[0] && test_contains(m->reason, moved ? reason : ""), "reason: %s", m->reason);
  matrix_check(m, o);
  if (m->shared) EXPECT(buffer_holds(&o->buffer, m));
  if (m->shared) EXPECT_INT(m->moved_bytes, 0);
  if (!m->shared)
    EXPECT((uintptr_t)m->data % 64 == 0 &&
           (matrix_right(m, o->array.dtype) == 0 || !buffer_holds(&o->buffer, m)));
  EXPECT_INT(all_moved(o, m), m->shared ? 0 : whole(o));
}

static void run_row(size_t i, const int procs[2], dap_dtype dtype)
{
  const bool moved = procs[rows[i].axis] >= rows[i].least;
  int64_t lengths[2][BRUTE_PROCS];
  dap_dist dists[2];
  for (int k = 0; k < 2; k++) dists[k] = cut(rows[i].cut[k], procs[k], lengths[k]);
  TEST_CASE("%s, %d x %d processes, %s", rows[i].why, procs[0], procs[1], dap_dtype_name(dtype));
  held_array o = operand_make(MPI_COMM_WORLD, dists, dtype, rows[i].form);
  const dap_scalapack_options options = {
      .sharing = rows[i].wish & COPY ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE,
      .op = rows[i].wish & OP_N   ? 'N'
            : rows[i].wish & OP_T ? 'T'
                                  : 0,
  };
  dap_scalapack_matrix m;
  operand_get(&o, DAP_READ_WRITE, &options, &m);
  if (m.view.view) {
    EXPECT_INT(m.op, rows[i].op);
    check_view(&o, &m, moved, rows[i].reason);
    matrix_write(&m, o.array.dtype);
    operand_restore(&m);
    EXPECT_INT(all_moved(&o, &m), moved ? 2 * whole(&o) : 0);
    check_global(o.layout, o.rank, &o.array, PADDING_POISON);
    check_gaps(&o.buffer);
  }
  held_array_free(&o);
  SETTLE();
}

/* On every grid that the processes can form. */
static void the_table_holds(void **state)
{
  (void)state;
  static const dap_dtype dtypes[] = {DAP_F4, DAP_F8, DAP_C8, DAP_C16};
  size_t turn = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int p = 1; p <= test_nprocs(); p++)
      if (test_nprocs() % p == 0) run_row(i, (const int[2]){p, test_nprocs() / p}, dtypes[turn++ % 4]);
}

/* Each rank's buffer could be shared, but in another order than the next rank's. */
static void ranks_must_agree_on_the_order(void **state)
{
  (void)state;
  const dap_dist dists[2] = {dap_dist_even(4 * test_nprocs(), test_nprocs()), dap_dist_even(5, 1)};
  held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_MIXED);
  dap_scalapack_matrix m;
  operand_get(&o, DAP_READ, NULL, &m);
  EXPECT_INT(m.op, 'T');
  check_view(&o, &m, test_nprocs() > 1, "rank 1|op 'T'|axis 1|contiguous");
  operand_restore(&m);
  held_array_free(&o);
  SETTLE();
}

static const struct {
  const char *why;
  test_form form;
  bool column; /* (n, 1), else (1, n) */
  char op;
} vectors[] = {
    {"a C-order row", FORM_C, false, 'T'},
    {"an F-order row is the same memory", FORM_F, false, 'T'},
    {"a C-order column is the same memory", FORM_C, true, 'T'},
    {"an F-order column", FORM_F, true, 'N'},
    {"a wide C-order column is strided, so a matrix row", FORM_WIDE, true, 'T'},
};

/* A vector lies in both orders; the strides of its unit extent tell how it was meant. */
static void vectors_share_in_either_order(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    TEST_CASE("%s", vectors[i].why);
    const dap_dist one = dap_dist_even(1, 1), many = dap_dist_cyclic(7 * test_nprocs(), test_nprocs(), 2);
    dap_dist dists[2] = {vectors[i].column ? many : one, vectors[i].column ? one : many};
    held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_C8, vectors[i].form);
    for (int wish = 0; wish < 3; wish++) {
      const char op = wish == 0 ? 0 : wish == 1 ? 'N' : 'T';
      if (op && vectors[i].form == FORM_WIDE) continue; /* strided: one order only */
      dap_scalapack_matrix m;
      operand_get(&o, DAP_READ, &(dap_scalapack_options){.op = op}, &m);
      EXPECT_INT(m.op, op ? op : vectors[i].op);
      check_view(&o, &m, false, "");
      operand_restore(&m);
    }
    held_array_free(&o);
    SETTLE();
  }
}

/* An array of one axis is a column. An array whose second axis has one element looks the same in memory. A
 * kept view of it must not be used for the first array. */
static void one_axis_is_a_column(void **state)
{
  (void)state;
  const dap_dist dists[2] = {dap_dist_even(5 * test_nprocs(), test_nprocs()), dap_dist_even(1, 1)};
  held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_C);
  dap_layout *layout;
  dap_array array;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  const dap_darray two = {o.layout, &o.array}, one = {layout, &array};
  for (int i = 0; i < 4; i++) {
    dap_scalapack_matrix m;
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, i % 2 ? one : two, DAP_READ, NULL, &m, &err), &err);
    EXPECT_INT(m.op, i % 2 ? 'N' : 'T');
    EXPECT_INT(m.m, i % 2 ? 5 * test_nprocs() : 1);
    EXPECT_INT(m.n, i % 2 ? 1 : 5 * test_nprocs());
    operand_restore(&m);
  }
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  held_array_free(&o);
  SETTLE();
}

/* A broadcast row can be read by a copy. */
static void broadcast_arrays_are_moved(void **state)
{
  (void)state;
  const dap_dist dists[2] = {dap_dist_even(3 * test_nprocs(), test_nprocs()), dap_dist_even(5, 1)};
  held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_C);
  o.array.strides[0] = 0;
  double row[5] = {1, 2, 3, 4, 5};
  o.array.data = row;
  dap_scalapack_matrix m;
  operand_get(&o, DAP_READ, NULL, &m);
  EXPECT_MSG(!m.shared && test_contains(m.reason, "axis 0|0 bytes|leading dimension"), "%s", m.reason);
  EXPECT_INT(m.op, 'T');
  for (element_walk w = walk_elements(&m, sizeof *row); next_element(&w);)
    EXPECT(*(double *)w.element == row[w.flat % 5]);
  operand_restore(&m);
  held_array_free(&o);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_table_holds),
    cmocka_unit_test(ranks_must_agree_on_the_order),
    cmocka_unit_test(vectors_share_in_either_order),
    cmocka_unit_test(one_axis_is_a_column),
    cmocka_unit_test(broadcast_arrays_are_moved),
};
MPI_TEST_MAIN(tests)
