/* Updates halos of 3-D blocks, which the function of bridge/docs/halos.md describes, on all grids of the
 * processes. After an update, each element of a buffer must be the number of its global indices. */
#define main page_main
#include "halos_own.inc"
#undef main

enum { EXTENT = N + 2, ELEMENTS = EXTENT * EXTENT * EXTENT }; /* of a buffer */

static void find_indices(int element, int at[3])
{
  for (int a = 2; a >= 0; element /= EXTENT, a--) at[a] = element % EXTENT;
}

/* Returns the number of an element. Along each axis, the buffer of process c begins at global index N * c. */
static double number_at(const int coords[3], const int at[3])
{
  double number = 0;
  for (int a = 0; a < 3; a++) number = 10000 * number + N * coords[a] + at[a];
  return number;
}

/* Returns whether another process owns an element of the buffer. */
static int is_copy(const int procs[3], const int coords[3], const int at[3])
{
  for (int a = 0; a < 3; a++)
    if ((at[a] == 0 && coords[a] > 0) || (at[a] == EXTENT - 1 && coords[a] < procs[a] - 1)) return 1;
  return 0;
}

/* Sets the elements that this process owns, and spoils its copies of others; or compares all elements. */
static void go_through(const int procs[3], const int coords[3], double block[], int fills)
{
  for (int e = 0; e < ELEMENTS; e++) {
    int at[3];
    find_indices(e, at);
    const double wanted = number_at(coords, at);
    if (fills) block[e] = is_copy(procs, coords, at) ? -1 : wanted;
    if (fills || block[e] == wanted) continue;
    fprintf(stderr, "%d x %d x %d processes: element (%d, %d, %d) of (%d, %d, %d) is %.0f, not %.0f\n",
            procs[0], procs[1], procs[2], at[0], at[1], at[2], coords[0], coords[1], coords[2], block[e],
            wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void update(int rank, const int procs[3])
{
  static double block[ELEMENTS];
  const int coords[3] = {rank / (procs[1] * procs[2]), rank / procs[2] % procs[1], rank % procs[2]};
  const dap_plan_options options = {.allow_empty = true};
  dap_error err;
  dap_layout *layout;
  dap_array u;
  dap_plan *halo;
  go_through(procs, coords, block, 1);
  check(describe_layers(3, rank, procs, block, &layout, &u, &err), &err);
  const dap_side side = dap_side_of((dap_darray){layout, &u});
  check(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, &options, &halo, &err), &err);
  check(dap_plan_run(halo, u.data, u.data, &err), &err);
  go_through(procs, coords, block, 0);
  dap_plan_destroy(&halo);
  dap_array_release(&u);
  dap_layout_destroy(&layout);
}

/* The function of the page must refuse more processes than its arrays have room for. */
static int refuses_many(void)
{
  static double block[ELEMENTS];
  dap_layout *layout;
  dap_array u;
  return describe_layers(3, 0, (const int[]){1, MOST + 1, 1}, block, &layout, &u, NULL) == DAP_ERR_ARG;
}

int main(int argc, char **argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i <= size; i++)
    for (int j = 1; j <= size / i; j++)
      if (size % (i * j) == 0) update(rank, (const int[]){i, j, size / (i * j)});
  const int is_right = refuses_many();
  MPI_Finalize();
  return !is_right;
}
