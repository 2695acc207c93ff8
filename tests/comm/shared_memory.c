#define _POSIX_C_SOURCE 200809L
#include "shared_memory.h"

#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- limits ------------------------------------------------------------------------------------------- */

static struct {
  int resource;
  struct rlimit before;
} limited;

/* Returns a limit that is a little above the address space of this process. */
static rlim_t little_space(void)
{
  const int64_t bytes = process_bytes(false);
  EXPECT(bytes >= 0);
  return (rlim_t)bytes + (4 << 20);
}

void limit_start(test_limit limit)
{
  static const int resources[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_AS};
  const int lowest = lowest_file(); /* open files below it stay usable, also for MPI */
  limited.resource = resources[limit];
  struct rlimit now;
  (void)signal(SIGXFSZ, SIG_IGN);
  EXPECT(!getrlimit(limited.resource, &limited.before));
  now = limited.before;
  now.rlim_cur = limit == LIMIT_SIZE ? LIMIT_BYTES : limit == LIMIT_FILES ? (rlim_t)lowest : little_space();
  EXPECT(!setrlimit(limited.resource, &now));
}

void limit_end(void)
{
  EXPECT(!setrlimit(limited.resource, &limited.before));
}

/* ---- the system --------------------------------------------------------------------------------------- */

int lowest_file(void)
{
  const int file = open("/dev/null", O_RDONLY);
  EXPECT(file >= 0 && !close(file));
  return file;
}

/* Returns the number of mappings that contexts keep as long as their communicators exist. */
static int count_kept(void)
{
  int count = 0;
  const dap_self *self = dap_self_lock(false);
  for (const dap_context *c = self ? self->contexts : NULL; c; c = c->next)
    for (int i = 0; i < c->pool.segment_count; i++) count += c->pool.segments[i].size;
  dap_self_unlock();
  return count;
}

int count_mappings(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) return -1;
  char line[1024];
  int count = 0;
  while (fgets(line, sizeof line, maps)) /* lines with and without a name */
    count += strstr(line, "/dev/shm/#") || strstr(line, "/dap-");
  fclose(maps);
  return count - count_kept();
}

/* ---- arrays ------------------------------------------------------------------------------------------- */

dap_layout *make_layout(int nprocs, int ndim, const int64_t shape[])
{
  dap_dist dists[DAP_MAX_NDIM];
  for (int k = 0; k < ndim; k++)
    dists[k] = dap_dist_even(shape[k] * (k == 0 ? nprocs : 1), k == 0 ? nprocs : 1);
  return layout_make(ndim, dists, NULL);
}

dap_layout *make_usual_layout(void)
{
  return make_layout(test_nprocs(), 2, (const int64_t[]){ROWS, COLUMNS});
}

dap_array make_array(const dap_layout *layout, bool *shared)
{
  dap_array array;
  dap_error err = {0};
  EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_I4, DAP_ORDER_C, &array, shared, &err), &err);
  return array;
}

dap_array array_at(const dap_array *array, void *data)
{
  dap_array moved = *array;
  moved.data = data;
  return moved;
}

void expect_zeros(const dap_array *array)
{
  static const unsigned char zero[2 * sizeof(long double)];
  int64_t position[DAP_MAX_NDIM] = {0};
  bool good = true;
  for (bool more = dap_array_count(array) > 0; more && good;
       more = next_position(array->ndim, array->shape, position))
    good = EXPECT(!memcmp(array_element(array, position), zero, (size_t)dap_dtype_size(array->dtype)));
}

dap_segment segment_of(const void *at)
{
  const dap_segment segment = dap_segment_find(dap_self_lock(false), at);
  dap_self_unlock();
  return segment;
}

char *segment_at(const dap_segment *segment)
{
  char *at = dap_segment_at(dap_self_lock(false), segment);
  dap_self_unlock();
  return at;
}

void tell_segments(MPI_Comm comm, const void *at, dap_segment segments[])
{
  const dap_segment own = segment_of(at);
  MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, segments, (int)sizeof own, MPI_BYTE, comm);
}
