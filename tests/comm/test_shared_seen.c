/* Tests which processes see the elements of dap_array_alloc(), at which addresses, and until when. */
#include "buffers.h"
#include "mpi_test.h"
#include "shared_memory.h"

#include <time.h>

static bool is_seen_by(const dap_segment *segment, uint64_t id)
{
  const bool is_seen = dap_segment_seen(dap_self_lock(false), segment, id);
  dap_self_unlock();
  return is_seen;
}

static void tell_ids(uint64_t ids[])
{
  const uint64_t id = dap_process_id();
  MPI_Allgather(&id, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, MPI_COMM_WORLD);
}

/* Checks that an address is found iff it is in the data part, and that the result leads back to it. */
static void check_addresses(const dap_array *array)
{
  char *data = array->data;
  const dap_segment first = segment_of(data);
  const int64_t bytes = array->shape[0] * array->strides[0];
  for (int64_t at = 0; at < bytes; at++) {
    const dap_segment s = segment_of(data + at);
    if (!EXPECT(s.id == first.id && s.node_rank == first.node_rank && s.offset == first.offset + at)) return;
    if (!EXPECT(segment_at(&s) == data + at)) return;
  }
  EXPECT(first.id != 0);
  EXPECT_INT(segment_of(data - 1).id, 0);
  EXPECT_INT(segment_of(data + bytes).id, 0);
  EXPECT_INT(segment_of(&first).id, 0);
  EXPECT_INT(segment_of(NULL).id, 0);
  const dap_segment strays[] = {{first.id, -1, 64},    {first.id, test_nprocs(), 64},
                                {first.id, 0, -1},     {first.id, 0, first.offset + bytes},
                                {first.id + 1, 0, 64}, {0, 0, 64}};
  for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) EXPECT(!segment_at(&strays[i]));
}

/* Returns a process of this node, counted in a circle. */
static int next_mate(int step)
{
  const int n = test_nprocs();
  int rank = (test_rank() + step + n) % n;
  while (!test_is_mate(rank)) rank = (rank + step + n) % n;
  return rank;
}

static void others_see_the_elements(void **state)
{
  (void)state;
  dap_segment segments[RANKS];
  bool shared = false;
  dap_layout *layout = make_usual_layout();
  dap_array array = make_array(layout, &shared);
  tell_segments(MPI_COMM_WORLD, array.data, segments);
  if (!shared) EXPECT_INT(segments[test_rank()].id, 0);
  if (shared) check_addresses(&array);
  fill_global(layout, test_rank(), &array);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int r = 0; r < test_nprocs(); r++) {
    const dap_array theirs = array_at(&array, segment_at(&segments[r]));
    if (EXPECT((theirs.data != NULL) == (shared && test_is_mate(r))) && theirs.data)
      check_global(layout, r, &theirs, PADDING_ANY);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  /* Each process writes into the array of the next process of the node. */
  const dap_array next = array_at(&array, segment_at(&segments[next_mate(1)]));
  if (shared && EXPECT(next.data != NULL)) fill_global(layout, test_rank(), &next);
  MPI_Barrier(MPI_COMM_WORLD);
  if (shared) check_global(layout, next_mate(-1), &array, PADDING_ANY);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Releases the arrays one after the other. All processes must notice it, and those that still have the
 * array keep all of it. */
static void a_release_is_seen(void **state)
{
  (void)state;
  dap_segment segments[RANKS];
  uint64_t ids[RANKS];
  bool shared = false;
  const int n = test_nprocs(), self = test_rank();
  dap_layout *layout = make_usual_layout();
  dap_array array = make_array(layout, &shared);
  const dap_array shape = array;
  fill_global(layout, self, &array);
  tell_segments(MPI_COMM_WORLD, array.data, segments);
  tell_ids(ids);
  for (int gone = 0; gone <= n; gone++) {
    for (int r = 0; r < n && self >= gone && shared; r++) {
      EXPECT_INT(is_seen_by(&segments[self], ids[r]), r >= gone && test_is_mate(r));
      const dap_array theirs = array_at(&shape, segment_at(&segments[r]));
      if (EXPECT((theirs.data != NULL) == test_is_mate(r)) && theirs.data)
        check_global(layout, r, &theirs, PADDING_ANY);
    }
    for (int r = 0; r < n && self < gone; r++) EXPECT(!segment_at(&segments[r]));
    EXPECT(!is_seen_by(&segments[self], 1));
    MPI_Barrier(MPI_COMM_WORLD);
    if (self == gone) dap_array_release(&array);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Uses a layout with fewer processes. The others have no data, but must see it. */
static void processes_outside_the_layout_see_it(void **state)
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
    for (int r = 0; r < procs; r++) {
      const char *at = segment_at(&segments[r]);
      if (EXPECT((at != NULL) == (shared && test_is_mate(r))) && at)
        EXPECT(*(const double *)(const void *)at == 10.0 + r);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_INT(count_mappings(), shared ? test_mates() : 0);
    dap_array_release(&array);
    EXPECT_INT(count_mappings(), 0);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

enum { MANY = 1000, FEW = 4, LOOKS = 40000, TRIES = 9 };

/* Looks up the first `count` arrays in turn. Returns the least of several processor times. */
static double time_of_looks(const dap_array arrays[], int count)
{
  double least = 1e9;
  for (int i = 0; i < TRIES; i++) {
    const clock_t start = clock();
    int64_t found = 0;
    for (int look = 0; look < LOOKS; look++) {
      const dap_segment s = segment_of(arrays[look % count].data);
      found += segment_at(&s) == arrays[look % count].data;
    }
    EXPECT_INT(found, LOOKS);
    const double time = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (time < least) least = time;
  }
  return least;
}

/* Each array must be found among many in little more time than among few, until it is released. */
static void many_arrays_are_found(void **state)
{
  (void)state;
  static dap_array arrays[MANY];
  double few = 0;
  bool shared = false;
  dap_layout *layout = make_usual_layout();
  for (int i = 0; i < MANY; i++) {
    if (i == FEW && shared) few = time_of_looks(arrays, FEW);
    arrays[i] = make_array(layout, &shared);
  }
  dap_layout_destroy(&layout);
  if (shared) {
    const double many = time_of_looks(arrays, MANY);
    EXPECT_MSG(many < 10 * few, "%d looks take %g s among %d arrays, %g s among %d", LOOKS, many, MANY, few,
               FEW);
  }
  for (int i = 0; i < MANY; i++) {
    const int which = (i * 7 + test_rank()) % MANY; /* visits each once, because 7 does not divide MANY */
    const unsigned char *data = arrays[which].data;
    const dap_segment s = segment_of(data);
    EXPECT_INT(s.id != 0, shared);
    EXPECT((segment_at(&s) == (const char *)data) == shared);
    dap_array_release(&arrays[which]);
    EXPECT(!segment_at(&s) && !segment_of(data).id);
  }
  EXPECT_INT(count_mappings(), 0);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(others_see_the_elements),
    cmocka_unit_test(a_release_is_seen),
    cmocka_unit_test(processes_outside_the_layout_see_it),
    cmocka_unit_test(many_arrays_are_found),
};

MPI_TEST_MAIN(tests)
