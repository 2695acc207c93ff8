/* Arrays of nodes with ghosts, and the model of who has what. */
#include "ghosts_test.h"

#include "field_test.h"
#include "random_array.h"
#include "variants.h"

/* ---- who has what ----------------------------------------------------------------------------------- */

static int draw_owner(const ghost_row *row, int procs, int64_t node, test_random *random)
{
  switch (row->cut) {
  case RANGES:
    return (int)(node * procs / row->nodes);
  case GAPS:
    return 2 * (int)test_random_int(random, 0, (procs - 1) / 2);
  case TENS:
    return (int)(node / 4 % procs);
  case FIRST:
    return 0;
  case LAST:
    return procs - 1;
  default:
    return (int)test_random_int(random, 0, procs - 1);
  }
}

static bool draw_ghost(const ghost_row *row, const ghost_model *m, int c, int64_t node, test_random *random)
{
  const bool lot = test_random_one_in(random, 3);
  if (m->owner[node] == c || row->share == NONE || (row->cut == GAPS && c % 4 == 1)) return false;
  if (row->owners == LOWEST && m->owner[node] > c) return false;
  return lot || row->share == ALL;
}

static void draw_list(const ghost_row *row, ghost_model *m, int c, test_random *random)
{
  int64_t own[GHOST_NODES], ghosts[GHOST_NODES], owned = 0, held = 0, *list = m->lists[c];
  for (int64_t i = 0; i < row->nodes; i++) {
    const bool is_ghost = draw_ghost(row, m, c, i, random);
    if (m->owner[i] == c) own[owned++] = i;
    if (is_ghost) ghosts[held++] = i;
  }
  if (row->cut != RANGES) test_shuffle_long(random, owned, own);
  test_shuffle_long(random, held, ghosts);
  const int64_t before = row->place == AHEAD ? held : 0;
  memcpy(list + before, own, sizeof *own * (size_t)owned);
  memcpy(list + (before ? 0 : owned), ghosts, sizeof *ghosts * (size_t)held);
  m->owned[c] = owned;
  m->lengths[c] = owned + held;
  if (row->place == AMONG) test_shuffle_long(random, m->lengths[c], list);
  for (int64_t i = 0; i < m->lengths[c]; i++) m->flags[c][i] = m->owner[list[i]] == c;
}

static void draw_model(const ghost_row *row, int procs, test_random *random, ghost_model *m)
{
  int64_t next = 0;
  m->procs = procs;
  for (int64_t i = 0; i < row->nodes; i++) m->owner[i] = draw_owner(row, procs, i, random);
  for (int c = 0; c < procs; c++) draw_list(row, m, c, random);
  for (int c = 0; c < procs; c++)
    for (int64_t i = 0; i < m->lengths[c]; i++)
      if (m->flags[c][i]) m->entry[m->lists[c][i]] = next++;
}

/* ---- the array -------------------------------------------------------------------------------------- */

static dap_dist dist_of(const ghost_row *row, const ghost_model *m, const int64_t *lists[],
                        const bool *flags[])
{
  for (int c = 0; c < m->procs; c++) {
    lists[c] = m->lists[c];
    flags[c] = m->flags[c];
  }
  if (row->owners == BEHIND)
    return dap_dist_unstructured_ghosted(row->nodes, m->procs, m->lengths, m->owned, lists);
  dap_dist dist = dap_dist_unstructured(row->nodes, m->procs, m->lengths, lists);
  if (row->owners == FLAGS) dist.is_owned = flags;
  return dist;
}

static int nodes_axis(const ghost_row *row)
{
  return row->layers > 0 || row->fortran ? 1 : 0;
}

static dap_layout *make_layout(const ghost_row *row, const ghost_model *m, test_random *random)
{
  const int64_t *lists[GHOST_PROCS];
  const bool *flags[GHOST_PROCS];
  const dap_dist components = dap_dist_local(row->inner > 0 ? row->inner : 0);
  dap_dist dists[3];
  dap_layout *layout = NULL;
  dap_error err;
  int ndim = 0;
  if (row->layers > 0) dists[ndim++] = dap_dist_even(row->layers, test_nprocs() / m->procs);
  if (row->fortran) dists[ndim++] = components;
  dists[ndim++] = dist_of(row, m, lists, flags);
  if (row->inner != 0 && !row->fortran) dists[ndim++] = components;
  EXPECT_OK(dap_layout_create(ndim, dists, &layout, &err), &err);
  if (row->shuffled) layout = variant_shuffle(random, layout);
  if (!row->assembled) return layout;
  dap_layout *assembled = assemble_again(MPI_COMM_WORLD, layout, NULL, random);
  dap_layout_destroy(&layout);
  return assembled;
}

enum { LAYER = 3 };

/* Where this process has the part. */
static void find_part(ghost_trial *t)
{
  const ghost_row *row = t->row;
  const int axis = nodes_axis(row), inner_axis = row->fortran ? 0 : axis + 1;
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(t->layout, test_rank(), coords);
  t->coord = coords[axis];
  t->first = t->array.data;
  t->step = t->array.strides[axis];
  t->within = t->array.ndim > inner_axis ? t->array.strides[inner_axis] : 0;
  t->inner = row->inner == 0 || row->column > 0 ? 1 : row->inner > 0 ? row->inner : 0;
  if (row->column > 0 && t->first) t->first += row->column * t->within;
  if (row->layers == 0) return;
  const int procs = dap_layout_procs(t->layout, 0);
  int64_t begin = 0;
  for (int c = 0; c < coords[0]; c++) begin += dap_layout_owned(t->layout, 0, c);
  const bool is_here = LAYER >= begin && LAYER < begin + dap_layout_owned(t->layout, 0, coords[0]);
  EXPECT(procs * t->model.procs == test_nprocs());
  if (!is_here) t->coord = -1;
  if (is_here && t->first) t->first += (LAYER - begin) * t->array.strides[0];
}

static void choose_part(ghost_trial *t)
{
  const ghost_row *row = t->row;
  t->options = row->options;
  t->nodes = row->count > 0 ? row->count : row->nodes;
  if (row->count > 0) {
    t->options.part = (dap_part){.start = t->start, .shape = t->shape};
    t->start[0] = row->from;
    t->shape[0] = row->count;
    t->shape[1] = t->inner;
  }
  if (row->column > 0) {
    t->options.part = (dap_part){.naxes = 1, .axes = t->axes, .start = t->start};
    t->start[1] = row->column;
  }
  if (row->layers > 0) {
    t->options.part = (dap_part){.naxes = row->inner ? 2 : 1, .axes = t->axes, .start = t->start};
    t->axes[0] = 1;
    t->axes[1] = 2;
    t->start[0] = LAYER;
  }
}

static void make_array(ghost_trial *t)
{
  test_random random = test_random_init(3);
  t->buffer = test_buffer_make(t->layout, test_rank(), sizeof(PetscScalar), t->row->form, &random);
  t->array = test_buffer_array(&t->buffer, scalar_dtype());
  find_part(t);
  choose_part(t);
  ghosts_fill(t, 0);
}

void ghosts_make(ghost_trial *t, const ghost_row *row, uint64_t draw)
{
  test_random random = test_random_init(100 + draw);
  int dims[2] = {0};
  memset(t, 0, sizeof *t);
  t->row = row;
  MPI_Dims_create(test_nprocs(), 2, dims);
  draw_model(row, row->layers > 0 ? dims[0] : test_nprocs(), &random, &t->model);
  t->layout = make_layout(row, &t->model, &random);
  make_array(t);
}

void ghosts_make_again(ghost_trial *t, const ghost_trial *like)
{
  *t = *like;
  t->layout = dap_layout_retain(like->layout);
  make_array(t);
}

void ghosts_free(ghost_trial *t)
{
  EXPECT(check_gaps(&t->buffer));
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
}

bool ghosts_get(const ghost_trial *t, dap_access access, dap_petsc_vector *v)
{
  dap_error err;
  const dap_darray array = {t->layout, &t->array};
  return EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, access, &t->options, v, &err), &err);
}

/* ---- values ----------------------------------------------------------------------------------------- */

void ghosts_fill(ghost_trial *t, int64_t shift)
{
  const int64_t inner = t->inner;
  for (int64_t i = 0; i < t->row->nodes * inner; i++) value_of(scalar_dtype(), i + shift, &t->model.want[i]);
  for (int64_t p = 0; t->coord >= 0 && p < t->model.lengths[t->coord]; p++)
    for (int64_t j = 0; j < inner; j++) {
      PetscScalar value = t->model.want[t->model.lists[t->coord][p] * inner + j];
      if (!t->model.flags[t->coord][p]) memset(&value, TEST_POISON, sizeof value);
      memcpy(t->first + p * t->step + j * t->within, &value, sizeof value);
    }
}

void ghosts_fill_with(ghost_trial *t, int value)
{
  for (int64_t i = 0; i < t->row->nodes * t->inner; i++) t->model.want[i] = value;
}

void ghosts_scale(ghost_trial *t, int factor)
{
  for (int64_t i = 0; i < t->row->nodes * t->inner; i++) t->model.want[i] *= factor;
}
