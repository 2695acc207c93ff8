/* Finds shapes in which hand-written calls compute: grids of all processes, and blocks. */
#include "linalg.h"
#include "numbers.h"

static const double ENOUGH = 0.25; /* seconds of runs, because the first run of a process takes longer */

int linalg_shapes_list(int nprocs, const int64_t blocks[], int count, linalg_shape shapes[LINALG_SHAPES])
{
  int made = 0;
  for (int rows = 1; rows <= nprocs; rows++)
    for (int b = 0; b < count && nprocs % rows == 0 && made - b + count <= LINALG_SHAPES; b++)
      shapes[made++] = (linalg_shape){{rows, nprocs / rows}, (int)blocks[b]};
  return made;
}

bool linalg_shape_is_right(const linalg_row *row, int64_t n, const linalg_shape *shape)
{
  const int64_t block = shape->block;
  return block >= row->least_block && (row->most_block == 0 || block <= row->most_block) &&
         (shape->grid[0] - 1) * block < n && (shape->grid[1] - 1) * block < n;
}

double linalg_shape_time(const linalg_row *row, int64_t n, const linalg_shape *shape, int turns)
{
  linalg_job job = linalg_job_make(row, n, shape);
  const double begun = bench_now();
  double least = linalg_run(row, LINALG_HAND, &job, NULL);
  for (int turn = 1; turn < turns && bench_most(MPI_COMM_WORLD, bench_now() - begun) < ENOUGH; turn++) {
    const double time = linalg_run(row, LINALG_HAND, &job, NULL);
    if (time < least) least = time;
  }
  linalg_job_free(&job);
  return least;
}

linalg_shape linalg_shape_choose(const linalg_row *row, int64_t n, const linalg_shape shapes[], int count)
{
  enum { TURNS = 3 };
  linalg_shape best = {{0, 0}, 0};
  double least = 0;
  int nprocs;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (row->stretch) return (linalg_shape){{1, nprocs}, (int)(linalg_order(row, n) / nprocs)};
  for (int k = 0; k < count; k++) {
    if (!linalg_shape_is_right(row, n, &shapes[k])) continue;
    const double time = count == 1 ? 0 : linalg_shape_time(row, n, &shapes[k], TURNS);
    if (best.block == 0 || time < least) best = shapes[k], least = time;
  }
  if (best.block == 0) { /* n is too small, or the routine's limits are too narrow */
    const int share = n > nprocs ? (int)(n / nprocs) : 1;
    best = (linalg_shape){{nprocs, 1}, row->most_block && row->most_block < share ? row->most_block : share};
  }
  return best;
}
