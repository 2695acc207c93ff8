#include "task.h"

#include "mpi_test.h"
#include "number.h"

enum { MOST = 300, MOST_OF_PART = 200 /* elements; the model needs room for the rest of an axis */ };

/* ---- drawn: which elements ------------------------------------------------------------------------ */

static bool is_one_in(test_random *random, bool may, int n)
{
  const bool drawn = test_random_one_in(random, n);
  return may && drawn;
}

/* Draws the axes of an array and their sizes. Arguments that can be left out are left out every second time.
 * Returns the number of axes. */
static int draw_axes(task *t, int side, bool is_part, bool permutes, const int64_t shape[],
                     test_random *random, int64_t size[])
{
  int order[DAP_MAX_NDIM], kept = 0, used = 0;
  bool is_new[DAP_MAX_NDIM];
  for (int j = 0; j < t->naxes; j++) {
    is_new[j] = is_one_in(random, is_part && shape[j] == 1, 2);
    kept += !is_new[j];
  }
  const int ndim = kept + (is_one_in(random, is_part && kept < 4, 3) || kept == 0);
  for (int k = 0; k < ndim; k++) {
    order[k] = k;
    size[k] = test_random_int(random, 1, 5); /* stays if the axis is left out */
    t->start[side][k] = test_random_int(random, 0, size[k] - 1);
    t->shape[side][k] = 1000; /* is not used if the axis is left out */
  }
  if (permutes || ndim != t->naxes) test_shuffle(random, ndim, order);
  t->has_axes[side] = ndim != t->naxes || test_random_one_in(random, 2);
  t->has_start[side] = test_random_one_in(random, 2);
  t->has_shape[side] = test_random_one_in(random, 2);
  for (int j = 0; j < t->naxes; j++) {
    const int k = t->axes[side][j] = is_new[j] ? -1 : order[used++];
    if (k != j) t->has_axes[side] = true;
    if (k < 0) continue;
    t->start[side][k] = is_one_in(random, is_part, 2) ? test_random_int(random, 0, 3) : 0;
    t->shape[side][k] = shape[j];
    size[k] =
        t->start[side][k] + shape[j] + (is_one_in(random, is_part, 2) ? test_random_int(random, 0, 3) : 0);
    if (t->start[side][k] + shape[j] < size[k]) t->has_shape[side] = true;
  }
  for (int k = 0; k < ndim; k++)
    if (t->start[side][k] > 0) t->has_start[side] = true;
  return ndim;
}

/* Draws the sizes of both arrays. ndim has their numbers of axes. */
static void draw_parts(task *t, const task_wish *wish, test_random *random, int ndim[2],
                       int64_t size[2][DAP_MAX_NDIM])
{
  const bool moves = wish->kind == TASK_MOVE, is_part = is_one_in(random, moves && !wish->is_all, 2);
  const int64_t wanted = wish->most ? wish->most : MOST,
                most = is_part && wanted > MOST_OF_PART ? MOST_OF_PART : wanted;
  int64_t shape[DAP_MAX_NDIM] = {0};
  t->naxes = (int)test_random_int(random, 1, test_random_one_in(random, 8) ? 6 : 4);
  random_shape(random, t->naxes, t->naxes > 4 ? most / 4 : most, shape);
  for (int side = 0; side < 2; side++) {
    const bool permutes = is_one_in(random, moves, side ? 3 : 2);
    ndim[side] = draw_axes(t, side, is_part, permutes, shape, random, size[side]);
    if (!moves) t->has_axes[side] = t->has_start[side] = t->has_shape[side] = false;
  }
}

/* ---- drawn: what becomes of them ------------------------------------------------------------------- */

static void draw_factor(test_random *random, double factor[2])
{
  static const double numbers[] = {0, 1, 1, -1, 0.5, 2, -3, 4};
  factor[0] = numbers[test_random_int(random, 0, 7)];
  factor[1] = test_random_one_in(random, 3) ? numbers[test_random_int(random, 0, 7)] : 0;
}

static dap_dtype draw_type(test_random *random)
{
  static const dap_dtype usual[] = {DAP_F8, DAP_F4, DAP_C16, DAP_I4};
  if (test_random_one_in(random, 2)) return usual[test_random_int(random, 0, 3)];
  return (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES);
}

/* Draws the types and factors of a move. */
static void draw_change(task *t, const task_wish *wish, test_random *random)
{
  t->types[0] = wish->from ? wish->from : draw_type(random);
  t->types[1] = wish->from ? wish->to : wish->is_plain ? t->types[0] : draw_type(random);
  t->options = wish->options;
  if (wish->from) return;
  if (is_one_in(random, wish->is_plain, 2)) t->types[0] = t->types[1] = DAP_NONE;
  if (is_one_in(random, !wish->is_plain, 2)) draw_factor(random, t->alpha);
  if (is_one_in(random, !wish->is_plain, 2)) draw_factor(random, t->beta);
  t->options.conjugate = is_one_in(random, !wish->is_plain, 3);
  t->options.fill_halos = test_random_one_in(random, 2);
}

/* Leaves out imaginary parts that cannot reach a real destination. */
static void set_factors(task *t)
{
  if (!number_is_complex(t->types[1])) t->beta[1] = 0;
  if (!number_is_complex(t->types[1]) && !number_is_complex(t->types[0])) t->alpha[1] = 0;
  if (t->types[0] == DAP_NONE) return;
  if (t->alpha[0] != 1 || t->alpha[1] != 0) t->options.alpha = t->alpha;
  if (t->beta[0] != 0 || t->beta[1] != 0) t->options.beta = t->beta;
}

/* Draws how values are combined: of all holders, of padding with its owner, or of addends. */
static void draw_combination(task *t, const task_wish *wish, test_random *random)
{
  static const dap_dtype addends[][2] = {{DAP_F8, DAP_F8}, {DAP_I4, DAP_I4}, {DAP_I4, DAP_F8}};
  static const struct {
    dap_dtype dtype;
    dap_combine how;
  } kinds[] = {{DAP_F8, DAP_COMBINE_SUM}, {DAP_I4, DAP_COMBINE_SUM}, {DAP_C16, DAP_COMBINE_SUM},
               {DAP_F4, DAP_COMBINE_SUM}, {DAP_F8, DAP_COMBINE_MAX}, {DAP_I8, DAP_COMBINE_MIN},
               {DAP_I2, DAP_COMBINE_MAX}, {DAP_F4, DAP_COMBINE_MIN}, {DAP_F8, DAP_COMBINE_SUM}};
  dap_plan_options *o = &t->options;
  const int64_t kind = test_random_int(random, 0, 8), how = test_random_int(random, 0, 3);
  t->types[0] = t->types[1] = kinds[kind].dtype;
  o->combine = kinds[kind].how;
  if (wish->is_partial) {
    memcpy(t->types, addends[kind % 3], sizeof t->types);
    o->combine = (dap_combine)how;
  }
  const bool scales = o->combine <= DAP_COMBINE_SUM && wish->kind == TASK_MOVE;
  if (is_one_in(random, scales, 3)) t->alpha[0] = 2;
  if (is_one_in(random, scales, 3)) t->beta[0] = 3;
  o->fill_halos = is_one_in(random, wish->kind == TASK_MOVE, 2);
  if (wish->kind == TASK_REVERSE) o->padding = (dap_padding)test_random_int(random, 0, DAP_PADDING_REFRESH);
  t->are_far_apart = is_one_in(random,
                               t->types[0] == DAP_F8 && t->types[1] == DAP_F8 && t->alpha[0] == 1 &&
                                   t->beta[0] == 0 && o->combine <= DAP_COMBINE_SUM,
                               2);
}

/* ---- drawn: who holds them -------------------------------------------------------------------------- */

/* A root has all of each axis. Otherwise the function makes axes replicated or partial as often as all other
 * kinds together. */
static void change_axes(random_array *array, bool is_root, test_random *random)
{
  for (int k = 0; k < array->ndim; k++) {
    const int64_t kind = test_random_int(random, 0, 3), size = array->dists[k].size;
    const int procs = array->dists[k].procs;
    if (is_root) array->dists[k] = dap_dist_local(size);
    if (!is_root && kind == 0) array->dists[k] = dap_dist_replicated(size, procs);
    if (!is_root && kind == 1) array->dists[k] = dap_dist_partial(size, procs);
  }
  (void)array_deal(array->ndim, array->dists, array->model.ranks, array);
}

/* Makes a side on some of the processes that can have it. The side of a root is the whole array on one
 * process. */
static void make_side(task *t, int side, bool is_partial, int ndim, const int64_t size[], int64_t itemsize,
                      test_random *random)
{
  const bool is_root = t->kind == (side ? TASK_GATHER : TASK_SCATTER);
  const int holder = side == 0 ? t->sender : 1 - t->sender,
            all = t->groups ? t->groups->size[holder] : test_nprocs();
  const side_origin origin = (side_origin)test_random_int(random, CREATED, MIXED);
  const test_form form = (test_form)test_random_int(random, 0, FORM_COUNT - 1);
  const int some = test_random_one_in(random, 3) ? (int)test_random_int(random, 1, all) : all;
  int ranks[BRUTE_PROCS];
  random_array_draw(random, is_root ? 1 : some, ndim, size, &t->arrays[side]);
  if (is_root || is_partial) change_axes(&t->arrays[side], is_root, random);
  random_ranks(random, all, ranks);
  if (is_root) ranks[0] = (int)test_random_int(random, 0, all - 1);
  for (int i = 0; i < all && t->groups; i++) ranks[i] = t->groups->members[holder][ranks[i]];
  t->own[side] = side_make(&t->arrays[side], is_root ? CREATED : origin, ranks, itemsize,
                           is_root ? FORM_C : form, random);
}

static void draw_elements(task *t, const task_wish *wish, test_random *random)
{
  if (wish->kind == TASK_REVERSE || wish->combines || wish->is_partial)
    draw_combination(t, wish, random);
  else if (wish->kind == TASK_MOVE && !wish->from_owners)
    draw_change(t, wish, random);
  else
    t->options.fill_halos = is_one_in(random, wish->kind == TASK_MOVE || wish->kind == TASK_SCATTER, 2);
  t->options.from_owners = wish->from_owners;
  set_factors(t);
  t->options.lossy = task_is_lossy(t);
  t->options.allow_empty = true;
}

void task_draw(task *t, const task_wish *wish, const two_groups *groups, test_random *random)
{
  /* the last is long enough for a call of the kernel */
  static const int64_t itemsizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 4096};
  static const int swaps[] = {0, 0, ~0, 5};
  int64_t size[2][DAP_MAX_NDIM] = {{0}};
  int ndim[2];
  memset(t, 0, sizeof *t);
  t->kind = wish->kind;
  t->groups = groups;
  t->sender = (int)test_random_int(random, 0, 1);
  t->alpha[0] = 1;
  const int64_t opaque = itemsizes[test_random_int(random, 0, wish->kind == TASK_HALO ? 8 : 7)];
  task_wish less = *wish;
  if (opaque > 100) less.most = 60;
  draw_parts(t, &less, random, ndim, size);
  const bool in_place = wish->kind == TASK_HALO || wish->kind == TASK_REVERSE;
  draw_elements(t, wish, random);
  t->is_told = test_random_one_in(random, 3);
  for (int side = 0; side < (in_place ? 1 : 2); side++) {
    const dap_dtype dtype = t->types[side];
    make_side(t, side, wish->is_partial && side == 0, ndim[side], size[side],
              dtype == DAP_NONE ? opaque : dap_dtype_size(dtype), random);
    t->swaps[side] = dtype == DAP_NONE ? 0 : swaps[test_random_int(random, 0, 3)];
  }
  t->from = &t->own[0];
  t->to = &t->own[in_place ? 0 : 1];
  if (wish->is_partial && task_addends(t) == 1) t->options.combine = DAP_COMBINE_NONE;
}

void task_free(task *t)
{
  if (t->to == &t->own[1]) side_free(&t->own[1]);
  if (t->from == &t->own[0]) side_free(&t->own[0]);
}
