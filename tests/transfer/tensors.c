#include "tensors.h"

#include "mpi_test.h"

#include <inttypes.h>

const char *const place_names[] = {"R", "S0", "S1", "P"};

tensor_mesh tensor_mesh_of(int count, const int ranks[])
{
  tensor_mesh mesh = {.extents = {count % 2 == 0 ? 2 : 1, count % 2 == 0 ? count / 2 : count}};
  for (int i = 0; i < count; i++) mesh.ranks[i] = ranks ? ranks[i] : i;
  return mesh;
}

const tensor_mesh *tensor_world(void)
{
  static tensor_mesh world;
  if (world.extents[0] == 0) world = tensor_mesh_of(test_nprocs(), NULL);
  return &world;
}

tensor_pair tensor_pair_of(int number)
{
  const int from = number / 9, to = number % 9;
  tensor_pair p = {{(place)(from / 4), (place)(from % 4)}, {(place)(to / 3), (place)(to % 3)}, ""};
  (void)snprintf(p.name, sizeof p.name, "[%s, %s] -> [%s, %s]", place_names[p.from[0]],
                 place_names[p.from[1]], place_names[p.to[0]], place_names[p.to[1]]);
  return p;
}

/* ---- by brute force ----------------------------------------------------------------------------------- */

static int count_procs(const tensor_mesh *mesh)
{
  return mesh->extents[0] * mesh->extents[1];
}

static tensor_piece piece_of(const tensor_mesh *mesh, const place placed[2], int process)
{
  const int at[2] = {process / mesh->extents[1], process % mesh->extents[1]},
            size[2] = {TENSOR_ROWS, TENSOR_COLUMNS};
  int coord[2] = {0, 0}, procs[2] = {1, 1};
  tensor_piece p = {.addend = 0};
  for (int d = 0; d < 2; d++) {
    if (placed[d] == P) p.addend = p.addend * mesh->extents[d] + at[d];
    if (placed[d] == R) p.copy = p.copy * mesh->extents[d] + at[d];
    if (placed[d] != S0 && placed[d] != S1) continue;
    coord[placed[d] - S0] = coord[placed[d] - S0] * mesh->extents[d] + at[d];
    procs[placed[d] - S0] *= mesh->extents[d];
  }
  for (int k = 0; k < 2; k++) {
    const int each = size[k] / procs[k], more = size[k] % procs[k], c = coord[k];
    p.low[k] = c * each + (c < more ? c : more);
    p.count[k] = each + (c < more);
  }
  return p;
}

int tensor_addends(const tensor *t)
{
  return (t->placed[0] == P ? t->mesh.extents[0] : 1) * (t->placed[1] == P ? t->mesh.extents[1] : 1);
}

static bool has(const tensor_piece *p, int64_t x, int64_t y)
{
  return x >= p->low[0] && x < p->low[0] + p->count[0] && y >= p->low[1] && y < p->low[1] + p->count[1];
}

/* Bits of the ranks that have the element, or an addend of it. */
static unsigned holders(const tensor *t, int64_t x, int64_t y)
{
  unsigned bits = 0;
  for (int i = 0; i < count_procs(&t->mesh); i++) {
    const tensor_piece p = piece_of(&t->mesh, t->placed, i);
    if (has(&p, x, y)) bits |= 1U << t->mesh.ranks[i];
  }
  return bits;
}

static int count_bits(unsigned bits)
{
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

int64_t tensor_formula(const tensor *from, const tensor *to)
{
  const int addends = tensor_addends(from);
  int64_t moved = 0;
  for (int64_t x = 0; x < TENSOR_ROWS; x++)
    for (int64_t y = 0; y < TENSOR_COLUMNS; y++) {
      const unsigned have = holders(from, x, y), want = holders(to, x, y);
      moved +=
          addends == 1 ? count_bits(want & ~have) : addends - 1 + count_bits(want) - 1 + ((have & want) == 0);
    }
  return moved * (int64_t)sizeof(double);
}

bool tensor_check_bytes(const tensor *from, const tensor *to, const dap_plan *plan, int64_t arrays)
{
  const dap_plan_stats stats = dap_plan_summarize(plan);
  int64_t all[2] = {stats.bytes_sent, stats.bytes_received};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return EXPECT_INT(all[0], arrays * tensor_formula(from, to)) && EXPECT_INT(all[1], all[0]);
}

/* ---- the library's ------------------------------------------------------------------------------------ */

/* The tensor's axes, and one of length 1 for each dimension of the mesh that does not cut it. */
static dap_layout *layout_of(const tensor_mesh *mesh, const place placed[2])
{
  static const int64_t size[2] = {TENSOR_ROWS, TENSOR_COLUMNS};
  int procs[2] = {1, 1}, ndim = 2, order[TENSOR_PROCS];
  dap_dist dists[4];
  for (int d = 0; d < 2; d++) {
    if (placed[d] == R) dists[ndim++] = dap_dist_replicated(1, mesh->extents[d]);
    if (placed[d] == P) dists[ndim++] = dap_dist_partial(1, mesh->extents[d]);
    if (placed[d] == S0 || placed[d] == S1) procs[placed[d] - S0] *= mesh->extents[d];
  }
  for (int k = 0; k < 2; k++) dists[k] = dap_dist_even(size[k], procs[k]);
  for (int process = 0; process < count_procs(mesh); process++) {
    const int at[2] = {process / mesh->extents[1], process % mesh->extents[1]};
    int coord[4] = {0}, extra = 2, index = 0;
    for (int d = 0; d < 2; d++)
      if (placed[d] == R || placed[d] == P)
        coord[extra++] = at[d];
      else
        coord[placed[d] - S0] = coord[placed[d] - S0] * mesh->extents[d] + at[d];
    for (int k = 0; k < ndim; k++) index = index * dists[k].procs + coord[k];
    order[index] = process;
  }
  dap_layout *straight = NULL, *layout = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_layout_create(ndim, dists, &straight, &err), &err))
    EXPECT_OK(dap_layout_reorder(straight, order, &layout, &err), &err);
  dap_layout_destroy(&straight);
  return layout;
}

tensor tensor_make(const tensor_mesh *mesh, const place placed[2], bool by_columns)
{
  const int64_t item = sizeof(double);
  tensor t = {.mesh = *mesh,
              .placed = {placed[0], placed[1]},
              .layout = layout_of(mesh, placed),
              .process = -1,
              .strides = {item, item, item * TENSOR_ELEMENTS, item * TENSOR_ELEMENTS}};
  for (int i = 0; i < count_procs(mesh); i++)
    if (mesh->ranks[i] == test_rank()) t.process = i;
  if (t.process < 0) return t;
  t.own = piece_of(mesh, placed, t.process);
  if (by_columns)
    t.strides[1] = item * t.own.count[0];
  else
    t.strides[0] = item * t.own.count[1];
  return t;
}

void tensor_free(tensor *t)
{
  dap_layout_destroy(&t->layout);
}

dap_side tensor_side(const tensor *t)
{
  static const int axes[] = {0, 1};
  return (dap_side){.layout = t->layout,
                    .ranks = t->mesh.ranks,
                    .strides = t->strides,
                    .dtype = DAP_F8,
                    .part = {.axes = axes, .naxes = 2}};
}

/* ---- values ------------------------------------------------------------------------------------------- */

static double addend_at(int64_t x, int64_t y, int addend, int shift)
{
  return (double)((x * 31 + y * 7 + 3 + shift) * (addend + 1) % 101);
}

static double element_at(int64_t x, int64_t y, int addends, int shift)
{
  double sum = 0;
  for (int t = 0; t < addends; t++) sum += addend_at(x, y, t, shift);
  return sum;
}

static int64_t place_of(const tensor *t, int64_t x, int64_t y)
{
  const int64_t at = (x - t->own.low[0]) * t->strides[0] + (y - t->own.low[1]) * t->strides[1];
  return at / (int64_t)sizeof(double);
}

void tensor_fill(const tensor *t, int shift, double values[])
{
  for (int64_t x = 0; x < TENSOR_ROWS; x++)
    for (int64_t y = 0; y < TENSOR_COLUMNS; y++)
      if (has(&t->own, x, y)) values[place_of(t, x, y)] = addend_at(x, y, t->own.addend, shift);
}

void tensor_spoil(double values[])
{
  for (int i = 0; i < TENSOR_ELEMENTS; i++) values[i] = -1;
}

bool tensor_check(const tensor *t, int addends, int shift, double plus, const double values[])
{
  for (int64_t x = 0; x < TENSOR_ROWS; x++)
    for (int64_t y = 0; y < TENSOR_COLUMNS; y++) {
      if (!has(&t->own, x, y) || values[place_of(t, x, y)] == element_at(x, y, addends, shift) + plus)
        continue;
      return EXPECT_MSG(false, "element (%" PRId64 ", %" PRId64 ") is %g, not %g", x, y,
                        values[place_of(t, x, y)], element_at(x, y, addends, shift) + plus);
    }
  return true;
}
