/* Moves by ScaLAPACK's pdgemr2d, which takes a matrix in C order for the transposed one in Fortran order. */
#include "times.h"

#include <stdlib.h>

/* ScaLAPACK has no header. */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridmap(int *context, int ranks[], int leading, int rows, int columns);
void Cblacs_gridexit(int context);
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja, const int desc_a[],
               double *b, const int *ib, const int *jb, const int desc_b[], const int *context);

/* SimGrid 3.32 lacks this function, with which BLACS looks for Fortran's integers. The linker requires the
 * name. NOLINTBEGIN(bugprone-reserved-identifier) */
int __wrap_MPI_Type_match_size(int kind, int size, MPI_Datatype *type);

int __wrap_MPI_Type_match_size(int kind, int size, MPI_Datatype *type)
{
  (void)kind;
  *type = size == 8 ? MPI_INT64_T : MPI_INT;
  return MPI_SUCCESS;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Makes a grid whose ranks run along its columns, which are the transposed array's rows. */
static int make_grid(MPI_Comm comm, int rows, int columns)
{
  int *ranks = malloc((size_t)rows * (size_t)columns * sizeof *ranks);
  for (int i = 0; i < rows * columns; i++) ranks[i] = i;
  const int handle = Csys2blacs_handle(comm);
  int context = handle;
  Cblacs_gridmap(&context, ranks, rows, rows, columns);
  Cfree_blacs_system_handle(handle);
  free(ranks);
  return context;
}

static void describe(const times_case *c, const times_axis axes[], int64_t leading, int desc[9])
{
  const int words[9] = {1,
                        make_grid(c->comm, axes[1].procs, axes[0].procs),
                        (int)axes[1].size,
                        (int)axes[0].size,
                        (int)axes[1].width,
                        (int)axes[0].width,
                        0,
                        0,
                        (int)leading};
  for (int i = 0; i < 9; i++) desc[i] = words[i];
}

void times_gemr2d(const times_case *c, const times_clock *clock)
{
  int from[9], to[9];
  const int one = 1, m = (int)c->from[1].size, n = (int)c->from[0].size;
  describe(c, c->from, c->from_shape[1], from);
  describe(c, c->to, c->to_shape[1], to);
  const int all = make_grid(c->comm, 1, c->nprocs);
  clock->start();
  pdgemr2d_(&m, &n, c->source, &one, &one, from, c->destination, &one, &one, to, &all);
  clock->stop();
  Cblacs_gridexit(all);
  Cblacs_gridexit(from[1]);
  Cblacs_gridexit(to[1]);
}
