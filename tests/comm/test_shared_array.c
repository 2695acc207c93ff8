/* dap_array_alloc(): the form of its buffers, who sees them, and what is left when they are gone. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "shared_memory.h"

#include <inttypes.h>

enum { RANKS = 64, ROWS = 5, COLUMNS = 20 /* on each process, where it does not matter */ };

/* Every process has shape[]: the first axis is cut, the others are whole. */
static dap_layout *make_layout(int nprocs, int ndim, const int64_t shape[])
{
  dap_dist dists[DAP_MAX_NDIM];
  dap_layout *layout = NULL;
  for (int k = 0; k < ndim; k++)
    dists[k] = dap_dist_even(shape[k] * (k == 0 ? nprocs : 1), k == 0 ? nprocs : 1);
  EXPECT_OK(dap_layout_create(ndim, dists, &layout, NULL), NULL);
  return layout;
}

/* The usual array of all processes of `comm`. */
static dap_array make_array(MPI_Comm comm, bool *shared)
{
  int nprocs = 0;
  dap_array array;
  dap_error err = {0};
  MPI_Comm_size(comm, &nprocs);
  dap_layout *layout = make_layout(nprocs, 2, (const int64_t[]){ROWS, COLUMNS});
  EXPECT_OK(dap_array_alloc(comm, layout, DAP_I4, DAP_ORDER_C, &array, shared, &err), &err);
  dap_layout_destroy(&layout);
  return array;
}

/* ---- elements --------------------------------------------------------------------------------------- */

/* The walk over all positions of a buffer, in C order. */
static bool step_on(const dap_array *array, int64_t position[])
{
  int k = array->ndim - 1;
  while (k >= 0 && ++position[k] == array->shape[k]) position[k--] = 0;
  return k >= 0;
}

static int64_t offset_of(const dap_array *array, const int64_t position[])
{
  int64_t offset = 0;
  for (int k = 0; k < array->ndim; k++) offset += position[k] * array->strides[k];
  return offset;
}

static unsigned char mark(int writer, int64_t offset)
{
  return (unsigned char)(1 + (writer * 37 + offset * 5 + offset / 127) % 255);
}

/* All bytes of all elements of a buffer of that form at `base`; writer -1: zeros. */
static void write_marks(const dap_array *form, char *base, int writer)
{
  int64_t position[DAP_MAX_NDIM] = {0};
  for (bool more = dap_array_count(form) > 0; more; more = step_on(form, position))
    for (int64_t i = 0, at = offset_of(form, position); i < dap_dtype_size(form->dtype); i++, at++)
      base[at] = (char)mark(writer, at);
}

static void check_marks(const dap_array *form, const char *base, int writer)
{
  int64_t position[DAP_MAX_NDIM] = {0};
  bool good = true;
  for (bool more = dap_array_count(form) > 0; more && good; more = step_on(form, position))
    for (int64_t i = 0, at = offset_of(form, position); i < dap_dtype_size(form->dtype); i++, at++)
      good = good && EXPECT_MSG((unsigned char)base[at] == (writer < 0 ? 0 : mark(writer, at)),
                                "offset %" PRId64 " of what rank %d wrote is %d", at, writer, base[at]);
}

/* ---- form ------------------------------------------------------------------------------------------- */

typedef struct form {
  const char *why;
  dap_dtype dtype;
  dap_order order;
  int ndim;
  int64_t shape[4], strides[4];
} form;

#define C DAP_ORDER_C
#define F DAP_ORDER_F
static const form forms[] = {
    {"one element", DAP_U1, C, 1, {1}, {1}},
    {"one dimension has no rows", DAP_F8, C, 1, {1001}, {8}},
    {"one dimension, Fortran order", DAP_F8, F, 1, {1001}, {8}},
    {"a row of a line", DAP_F8, C, 2, {3, 8}, {64, 8}},
    {"a row shorter than a line", DAP_F8, C, 2, {3, 7}, {56, 8}},
    {"a row an element longer", DAP_F8, C, 2, {3, 9}, {128, 8}},
    {"a row a byte longer", DAP_I1, C, 2, {4, 65}, {128, 1}},
    {"rows of whole lines", DAP_C16, C, 2, {4, 12}, {192, 16}},
    {"columns", DAP_F8, F, 2, {9, 3}, {8, 128}},
    {"short columns", DAP_F4, F, 2, {16, 3}, {4, 64}},
    {"rows of 4096 bytes", DAP_F8, C, 2, {2, 512}, {4160, 8}},
    {"rows that become 4096 bytes", DAP_F8, C, 2, {2, 505}, {4160, 8}},
    {"rows that do not become 4096 bytes", DAP_F8, C, 2, {2, 504}, {4032, 8}},
    {"columns of 8192 bytes", DAP_F4, F, 2, {2048, 2}, {4, 8256}},
    {"three dimensions", DAP_F4, C, 3, {2, 3, 17}, {384, 128, 4}},
    {"three dimensions, Fortran order", DAP_F4, F, 3, {17, 3, 2}, {4, 128, 384}},
    {"planes may be 4096 bytes", DAP_I2, C, 3, {2, 64, 32}, {4096, 64, 2}},
    {"four dimensions, long double", DAP_F16, C, 4, {2, 3, 2, 5}, {768, 256, 128, 16}},
    {"half a line", DAP_F2, F, 2, {33, 2}, {2, 128}},
    {"no rows", DAP_F8, C, 2, {0, 9}, {128, 8}},
    {"no columns", DAP_F8, C, 2, {2, 0}, {8, 8}},
    {"nothing, Fortran order", DAP_C8, F, 2, {0, 5}, {8, 8}},
    {"many pages", DAP_F8, C, 2, {33, 1025}, {8256, 8}},
    {"large enough for huge pages", DAP_F8, C, 2, {1030, 1030}, {8256, 8}},
};
#undef C
#undef F

/* Its dictionaries are those of the layout. */
static void check_dictionaries(const dap_array *array, const dap_layout *layout)
{
  dap_layout *assembled = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_array_check(array, &err), &err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, array, &assembled, &err), &err);
  EXPECT(assembled && dap_layout_is_equal(assembled, layout));
  dap_layout_destroy(&assembled);
}

static void check_form(const form *row)
{
  dap_array array;
  bool shared = false;
  dap_error err = {0};
  dap_layout *layout = make_layout(test_nprocs(), row->ndim, row->shape);
  EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, row->dtype, row->order, &array, &shared, &err), &err);
  EXPECT_INT(shared, test_nprocs() > 1);
  EXPECT_INT(array.ndim, row->ndim);
  EXPECT(array.dtype == row->dtype && !array.readonly && !array.swapped);
  for (int k = 0; k < array.ndim; k++) {
    EXPECT_INT(array.shape[k], row->shape[k]);
    EXPECT_INT(array.strides[k], row->strides[k]);
  }
  EXPECT((array.data == NULL) == (dap_array_count(&array) == 0));
  EXPECT((uintptr_t)array.data % 64 == 0);
  check_dictionaries(&array, layout);
  check_marks(&array, array.data, -1);
  write_marks(&array, array.data, test_rank());
  MPI_Barrier(MPI_COMM_WORLD);
  check_marks(&array, array.data, test_rank());
  dap_layout_destroy(&layout);
  dap_array_release(&array);
  EXPECT(!array.data && !array.release && array.ndim == 0);
}

static void buffers_have_their_form(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    TEST_CASE("%s", forms[i].why);
    check_form(&forms[i]);
    SETTLE();
  }
}

/* Halos, on other processes others, which need protocol 0.9 where they wrap round; and a list. */
static dap_layout *make_haloed(bool wraps)
{
  const int n = test_nprocs();
  dap_dist dists[] = {dap_dist_padded(4 * n, n, 1), dap_dist_whole(9, 1)};
  dap_layout *layout = NULL;
  dists[0].periodic = dists[0].wraps = wraps;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  return layout;
}

/* They outlive the layout, whose memory the lists are. */
static void dictionaries_are_those_of_the_layout(void **state)
{
  (void)state;
  const int n = test_nprocs(), last = n - 1;
  for (int wraps = 0; wraps < 2; wraps++) {
    dap_array array;
    dap_layout *layout = make_haloed(wraps);
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, NULL), NULL);
    dap_layout_destroy(&layout);
    EXPECT(!strcmp(array.version, wraps ? "0.9.0" : "0.10.0"));
    EXPECT_INT(array.shape[0], wraps ? 6 : 4 + (test_rank() > 0) + (test_rank() < last));
    layout = make_haloed(wraps);
    check_dictionaries(&array, layout);
    dap_layout_destroy(&layout);
    dap_array_release(&array);
  }
  SETTLE();
}

/* ---- who sees it ------------------------------------------------------------------------------------- */

/* Where the arrays of all processes begin, as each tells it. */
static void tell_segments(MPI_Comm comm, const void *at, dap_segment segments[])
{
  const dap_segment own = dap_segment_find(at);
  MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, segments, (int)sizeof own, MPI_BYTE, comm);
}

static void tell_ids(uint64_t ids[])
{
  const uint64_t id = dap_process_id();
  MPI_Allgather(&id, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, MPI_COMM_WORLD);
}

/* An address is found iff it is in the data part, and so is what it stands for. */
static void check_addresses(const dap_array *array)
{
  char *data = array->data;
  const dap_segment first = dap_segment_find(data);
  const int64_t bytes = array->shape[0] * array->strides[0];
  for (int64_t at = 0; at < bytes; at++) {
    const dap_segment s = dap_segment_find(data + at);
    if (!EXPECT(s.id == first.id && s.place == first.place && s.offset == first.offset + at)) return;
    if (!EXPECT(dap_segment_at(&s) == data + at)) return;
  }
  EXPECT(first.id != 0);
  EXPECT_INT(dap_segment_find(data - 1).id, 0);
  EXPECT_INT(dap_segment_find(data + bytes).id, 0);
  EXPECT_INT(dap_segment_find(&first).id, 0);
  EXPECT_INT(dap_segment_find(NULL).id, 0);
  const dap_segment strays[] = {{first.id, -1, 64},    {first.id, test_nprocs(), 64},
                                {first.id, 0, -1},     {first.id, 0, first.offset + bytes},
                                {first.id + 1, 0, 64}, {0, 0, 64}};
  for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) EXPECT(!dap_segment_at(&strays[i]));
}

static void others_see_the_elements(void **state)
{
  (void)state;
  dap_segment segments[RANKS];
  bool shared = false;
  dap_array array = make_array(MPI_COMM_WORLD, &shared);
  tell_segments(MPI_COMM_WORLD, array.data, segments);
  if (!shared) EXPECT_INT(segments[test_rank()].id, 0);
  if (shared) check_addresses(&array);
  write_marks(&array, array.data, test_rank());
  MPI_Barrier(MPI_COMM_WORLD);
  for (int r = 0; r < test_nprocs() && shared; r++) {
    const char *at = dap_segment_at(&segments[r]);
    if (EXPECT(at != NULL)) check_marks(&array, at, r);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  /* The other way: each writes into the next one's. */
  char *next = dap_segment_at(&segments[(test_rank() + 1) % test_nprocs()]);
  if (shared && EXPECT(next != NULL)) write_marks(&array, next, test_rank() + 100);
  MPI_Barrier(MPI_COMM_WORLD);
  if (shared) check_marks(&array, array.data, (test_rank() + test_nprocs() - 1) % test_nprocs() + 100);
  dap_array_release(&array);
  SETTLE();
}

/* Processes that name different hosts have no segment in common; one alone has none. */
static void other_nodes_see_nothing(void **state)
{
  (void)state;
  MPI_Comm comm;
  dap_segment segments[RANKS];
  uint64_t ids[RANKS];
  bool shared = false;
  const int n = test_nprocs(), host = test_rank() * 2 / n;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, host));
  dap_array array = make_array(comm, &shared);
  tell_segments(comm, array.data, segments);
  tell_ids(ids);
  MPI_Comm_free(&comm);
  int mates = 0;
  for (int r = 0; r < n; r++) mates += r * 2 / n == host;
  EXPECT_INT(shared, mates > 1);
  for (int r = 0; r < n; r++) {
    const bool is_mate = shared && r * 2 / n == host;
    EXPECT_INT(dap_segment_at(&segments[r]) != NULL, is_mate);
    EXPECT_INT(dap_segment_seen(&segments[test_rank()], ids[r]), is_mate);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  dap_array_release(&array);
  SETTLE();
}

/* Released one after the other: both sides know it, and who still has the array keeps all of it. */
static void a_release_is_seen(void **state)
{
  (void)state;
  dap_segment segments[RANKS];
  uint64_t ids[RANKS];
  bool shared = false;
  const int n = test_nprocs(), self = test_rank();
  dap_array array = make_array(MPI_COMM_WORLD, &shared);
  const dap_array shape = array;
  write_marks(&array, array.data, self);
  tell_segments(MPI_COMM_WORLD, array.data, segments);
  tell_ids(ids);
  for (int gone = 0; gone <= n && shared; gone++) {
    for (int r = 0; r < n && self >= gone; r++) {
      EXPECT_INT(dap_segment_seen(&segments[self], ids[r]), r >= gone);
      const char *at = dap_segment_at(&segments[r]);
      if (EXPECT(at != NULL)) check_marks(&shape, at, r);
    }
    for (int r = 0; r < n && self < gone; r++) EXPECT(!dap_segment_at(&segments[r]));
    EXPECT(!dap_segment_seen(&segments[self], 1));
    MPI_Barrier(MPI_COMM_WORLD);
    if (self == gone) dap_array_release(&array);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  dap_array_release(&array);
  SETTLE();
}

/* Fewer processes in the layout: the others have no data, but see it. */
static void others_than_the_layouts_see_it(void **state)
{
  (void)state;
  for (int procs = 1; procs <= test_nprocs(); procs++) {
    TEST_CASE("layout of %d processes", procs);
    dap_segment segments[RANKS];
    dap_array array;
    bool shared = false;
    const bool is_scalar = procs == 1, is_outside = test_rank() >= procs;
    dap_layout *layout = make_layout(procs, is_scalar ? 0 : 2, (const int64_t[]){ROWS, COLUMNS});
    const dap_dtype dtype = DAP_F8;
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, dtype, DAP_ORDER_F, &array, &shared, NULL), NULL);
    EXPECT_INT(array.ndim, is_outside || is_scalar ? 0 : 2);
    EXPECT((array.data == NULL) == is_outside && (array.dtype == dtype) == !is_outside);
    if (!is_outside) *(double *)array.data = 10.0 + test_rank();
    tell_segments(MPI_COMM_WORLD, array.data, segments);
    for (int r = 0; r < procs && shared; r++) {
      const char *at = dap_segment_at(&segments[r]);
      if (EXPECT(at != NULL)) EXPECT(*(const double *)(const void *)at == 10.0 + r);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_INT(count_mappings(), shared ? test_nprocs() : 0);
    dap_array_release(&array);
    EXPECT_INT(count_mappings(), 0);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* ---- several ----------------------------------------------------------------------------------------- */

enum { ARRAYS = 7 };

/* Made on communicators that are gone at once, released in another order on each process. */
static void orders_of_release_differ(void **state)
{
  (void)state;
  dap_array arrays[ARRAYS];
  dap_segment segments[ARRAYS][RANKS];
  bool shared = false;
  for (int i = 0; i < ARRAYS; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    arrays[i] = make_array(comm, &shared);
    tell_segments(comm, arrays[i].data, segments[i]);
    MPI_Comm_free(&comm);
    write_marks(&arrays[i], arrays[i].data, test_rank() + i);
    for (int j = 0; j < i && shared; j++) EXPECT(segments[i][0].id != segments[j][0].id);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < ARRAYS; i++) {
    const int which = (i * (1 + test_rank() % (ARRAYS - 1)) + test_rank()) % ARRAYS;
    for (int r = 0; r < test_nprocs() && shared; r++)
      check_marks(&arrays[which], dap_segment_at(&segments[which][r]), r + which);
    check_marks(&arrays[which], arrays[which].data, test_rank() + which);
    dap_array_release(&arrays[which]);
    EXPECT(!dap_segment_at(&segments[which][0]));
  }
  EXPECT_INT(count_mappings(), 0);
  SETTLE();
}

/* The highest number of a few new communicators. MPI gives each the lowest that is free, or has no more. */
static int number_communicators(void)
{
  MPI_Comm comms[8];
  int highest = 0;
  for (int i = 0; i < 8; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    const int number = (int)MPI_Comm_c2f(comms[i]);
    highest = number > highest ? number : highest;
  }
  for (int i = 0; i < 8; i++) MPI_Comm_free(&comms[i]);
  return highest;
}

/* Mappings, names, file handles and communicators come back. */
static void nothing_is_left(void **state)
{
  (void)state;
  const int cycles = test_nprocs() <= 2 ? 1000 : 300;
  const int file = lowest_file(), number = number_communicators();
  for (int i = 0; i < cycles; i++) {
    dap_array array = make_array(MPI_COMM_WORLD, NULL);
    if (i % 100 == 99) EXPECT(count_names() <= 0 && count_mappings() <= test_nprocs());
    dap_array_release(&array);
  }
  const int now = number_communicators();
  EXPECT_MSG(now < number + 20, "the highest communicator had number %d, now %d", number, now);
  EXPECT_INT(lowest_file(), file);
  EXPECT(count_names() <= 0 && count_mappings() <= 0);
  SETTLE();
}

/* ---- no shared memory ------------------------------------------------------------------------------- */

/* The node of `culprit` has no shared memory; the other one, if there is, still has. */
static void check_fallback(MPI_Comm comm, const dap_layout *layout, int culprit, bool mates, bool shares)
{
  dap_array array, usual;
  dap_segment segments[RANKS];
  bool shared = !shares;
  dap_error err = {.rank = 5, .text = "as it was"};
  if (test_rank() == culprit) limit_start(LIMIT_SIZE);
  const dap_status s = dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err);
  if (test_rank() == culprit) limit_end();
  EXPECT_OK(s, &err);
  EXPECT(err.rank == 5 && !strcmp(err.text, "as it was"));
  EXPECT_INT(shared, shares);
  EXPECT_OK(dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &usual, &shared, NULL), NULL);
  EXPECT_INT(shared, mates);
  for (int k = 0; k < 2; k++)
    EXPECT(array.shape[k] == usual.shape[k] && array.strides[k] == usual.strides[k]);
  EXPECT(array.data && (uintptr_t)array.data % 64 == 0);
  check_marks(&array, array.data, -1);
  write_marks(&array, array.data, test_rank());
  MPI_Barrier(MPI_COMM_WORLD);
  check_marks(&array, array.data, test_rank());
  tell_segments(comm, array.data, segments);
  EXPECT_INT(segments[test_rank()].id != 0, shares);
  dap_array_release(&array);
  dap_array_release(&usual);
  EXPECT_INT(count_mappings(), 0);
}

static void without_shared_memory_it_is_private(void **state)
{
  (void)state;
  const int n = test_nprocs();
  dap_layout *layout = make_layout(n, 2, (const int64_t[]){100, 100}); /* 83200 bytes each */
  MPI_Comm two;
  MPI_Comm_dup(MPI_COMM_WORLD, &two);
  EXPECT(dap_node_pretend(two, test_rank() % 2));
  for (int culprit = 0; culprit < n; culprit++) {
    TEST_CASE("on rank %d", culprit);
    check_fallback(MPI_COMM_WORLD, layout, culprit, n > 1, false);
    const bool mates = (n + 1 - test_rank() % 2) / 2 > 1;
    check_fallback(two, layout, culprit, mates, mates && culprit % 2 != test_rank() % 2);
    SETTLE();
  }
  MPI_Comm_free(&two);
  dap_layout_destroy(&layout);
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

/* What one process gives to a call that is right on all others. */
typedef struct refusal {
  const char *why;
  enum { NO_ARRAY, NO_LAYOUT, OTHER_LAYOUT, TOO_MANY, BAD_DTYPE, OTHER_DTYPE, BAD_ORDER } what;
  const char *parts;
} refusal;

static const refusal refusals[] = {
    {"no array", NO_ARRAY, "array must not be NULL"},
    {"no layout", NO_LAYOUT, "layout must not be NULL"},
    {"another layout", OTHER_LAYOUT, "the layout|not the same"},
    {"a layout of too many", TOO_MANY, "the layout has|processes, the communicator only"},
    {"no element type", BAD_DTYPE, "dtype 0"},
    {"another element type", OTHER_DTYPE, "dtype|not the same"},
    {"an order that is none", BAD_ORDER, "order 88"},
};

static void check_refusal(const refusal *row, int culprit, dap_layout *const layouts[])
{
  const bool is_culprit = test_rank() == culprit;
  const bool differs = row->what == OTHER_LAYOUT || row->what == OTHER_DTYPE;
  const int which = !is_culprit ? 0 : row->what == OTHER_LAYOUT ? 1 : row->what == TOO_MANY ? 2 : 0;
  dap_array array, untouched;
  bool shared = true;
  dap_error err = {0};
  memset(&array, 0xEE, sizeof array);
  untouched = array;
  const dap_status s =
      dap_array_alloc(MPI_COMM_WORLD, is_culprit && row->what == NO_LAYOUT ? NULL : layouts[which],
                      !is_culprit                ? DAP_F8
                      : row->what == BAD_DTYPE   ? DAP_NONE
                      : row->what == OTHER_DTYPE ? DAP_F4
                                                 : DAP_F8,
                      is_culprit && row->what == BAD_ORDER ? (dap_order)88 : DAP_ORDER_C,
                      is_culprit && row->what == NO_ARRAY ? NULL : &array, &shared, &err);
  if (differs && test_nprocs() == 1) {
    EXPECT_OK(s, &err);
    dap_array_release(&array);
    return;
  }
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, row->parts);
  EXPECT_INT(err.rank, differs && culprit == 0 ? 1 : culprit);
  EXPECT(!shared);
  const bool is_given = !(is_culprit && row->what == NO_ARRAY);
  EXPECT(is_given ? !array.data && !array.release && !array.private_data && array.ndim == 0
                  : !memcmp(&array, &untouched, sizeof array));
}

static void refusals_are_the_same_everywhere(void **state)
{
  (void)state;
  dap_layout *layouts[3] = {make_layout(test_nprocs(), 2, (const int64_t[]){ROWS, COLUMNS}),
                            make_layout(test_nprocs(), 2, (const int64_t[]){ROWS, COLUMNS + 1}),
                            make_layout(test_nprocs() + 1, 2, (const int64_t[]){ROWS, COLUMNS})};
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      TEST_CASE("%s, on rank %d", refusals[i].why, culprit);
      check_refusal(&refusals[i], culprit, layouts);
      SETTLE();
    }
  for (int i = 0; i < 3; i++) dap_layout_destroy(&layouts[i]);
}

/* What does not fit memory, or 64 bits, on one process only; and no communicator at all. */
static void sizes_are_refused(void **state)
{
  (void)state;
  const int n = test_nprocs();
  static const struct {
    int64_t first, second; /* extents of the last process, on which all is */
    dap_status status;
    const char *parts;
  } rows[] = {{INT64_C(1) << 40, INT64_C(1) << 22, DAP_ERR_RANGE, "dim 0|2^63 - 1 bytes"},
              {1, INT64_MAX / 8, DAP_ERR_RANGE, "dim 1|2^63 - 1 bytes"},
              {1, INT64_MAX / 16, DAP_ERR_NOMEM, "no memory for a buffer"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int64_t lengths[RANKS] = {0};
    lengths[n - 1] = rows[i].first;
    dap_layout *layout = NULL;
    dap_array array;
    dap_error err = {0};
    const dap_dist dists[] = {dap_dist_lengths(rows[i].first, n, lengths), dap_dist_even(rows[i].second, 1)};
    TEST_CASE("size %zu", i);
    EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
    const dap_status s = dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].status, rows[i].parts);
    EXPECT_INT(err.rank, n - 1);
    EXPECT(!array.data && !array.release);
    EXPECT_INT(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, NULL),
               rows[i].status);
    EXPECT_FAIL(dap_array_alloc(MPI_COMM_NULL, layout, DAP_F8, DAP_ORDER_C, &array, NULL, &err), DAP_ERR_ARG,
                &err, "comm|MPI_COMM_NULL");
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* ---- the end ----------------------------------------------------------------------------------------- */

static dap_array left; /* alive when MPI ends */
static dap_segment left_segment;

static void one_is_left(void **state)
{
  (void)state;
  left = make_array(MPI_COMM_WORLD, NULL);
  left_segment = dap_segment_find(left.data);
  write_marks(&left, left.data, 3);
  SETTLE();
}

/* MPI_Finalize leaves it its memory, and nothing of the list. */
static int check_left(void)
{
  const char *data = left.data;
  const bool good = (unsigned char)data[7] == mark(3, 7) && dap_segment_find(data).id == 0 &&
                    !dap_segment_at(&left_segment) && !dap_self_lock(false);
  dap_self_unlock();
  dap_array_release(&left);
  return good && count_mappings() <= 0 ? 0 : 1;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(buffers_have_their_form),
    cmocka_unit_test(dictionaries_are_those_of_the_layout),
    cmocka_unit_test(others_see_the_elements),
    cmocka_unit_test(other_nodes_see_nothing),
    cmocka_unit_test(a_release_is_seen),
    cmocka_unit_test(others_than_the_layouts_see_it),
    cmocka_unit_test(orders_of_release_differ),
    cmocka_unit_test(nothing_is_left),
    cmocka_unit_test(without_shared_memory_it_is_private),
    cmocka_unit_test(refusals_are_the_same_everywhere),
    cmocka_unit_test(sizes_are_refused),
    cmocka_unit_test(one_is_left),
};

int main(int argc, char **argv)
{
  const int failed = mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
  return failed ? failed : check_left();
}
