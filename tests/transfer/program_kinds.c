/* What the plans of a random program do: eight kinds, each with a serial model. */
#include "program.h"

#include "addends.h"
#include "mpi_test.h"

enum { MOST = 300 /* elements */, SALT = 11 /* from one array's values to the next one's */ };

static const double two[] = {2, 0}, three[] = {3, 0};

static int draw_shape(test_random *random, int64_t most, int64_t size[])
{
  const int ndim = (int)test_random_int(random, 1, test_random_one_in(random, 8) ? 6 : 4);
  random_shape(random, ndim, ndim > 4 ? most / 4 : most, size);
  return ndim;
}

static void set_sides(program_plan *p, bool in_place)
{
  p->from = &p->sides[0];
  p->to = &p->sides[in_place ? 0 : 1];
}

/* Of one array in one run. */
static int salt_of(const program_plan *p, int array)
{
  return array * SALT + p->runs;
}

/* ---- moves: parts, permuted axes, casts, factors, byte orders --------------------------------------- */

static void draw_move(program_plan *p, test_random *random)
{
  const task_wish wish = {
      .is_plain = test_random_one_in(random, 3), .is_all = test_random_one_in(random, 3), .most = MOST};
  task_draw(&p->task, &wish, random);
  p->from = &p->task.from;
  p->to = &p->task.to;
  p->options = p->task.options;
}

static dap_status create_move(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side from = task_from(&p->task), to = task_to(&p->task);
  return dap_plan_create(comm, &from, &to, task_itemsize(&p->task), &p->options, plan, err);
}

static void fill_move(program_plan *p)
{
  task_many_fill(&p->task, &p->sources, &p->destinations, p->runs, p->before);
}

static bool check_move(program_plan *p)
{
  return task_many_check(&p->task, &p->sources, &p->destinations, p->runs, p->before);
}

/* ---- halo updates ----------------------------------------------------------------------------------- */

static void draw_update(program_plan *p, test_random *random)
{
  static const int64_t itemsizes[] = {1, 3, 8, 16, 24, 4096}; /* the last is worth a call of the kernel's */
  const int64_t itemsize = itemsizes[test_random_int(random, 0, 5)];
  int64_t size[DAP_MAX_NDIM];
  const int ndim = draw_shape(random, itemsize > 100 ? 60 : MOST, size);
  p->sides[0] = side_draw(random, ndim, size, itemsize, &p->arrays[0]);
  set_sides(p, true);
}

static dap_status create_update(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side side = side_of(p->from);
  return dap_plan_create_halo(comm, &side, p->from->itemsize, &p->options, plan, err);
}

static void fill_update(program_plan *p)
{
  for (int a = 0; a < p->sources.count; a++) side_fill(&p->sources.sides[a], salt_of(p, a), COPIES_ALL_WRONG);
}

static bool check_update(program_plan *p)
{
  bool good = true;
  for (int a = 0; a < p->sources.count && good; a++)
    good = side_check(&p->sources.sides[a], salt_of(p, a), COPIES_RIGHT, PADDING_FILLED);
  return good;
}

/* ---- reverse halo updates --------------------------------------------------------------------------- */

static double whole[2][MOST]; /* numbers by element */

/* `p->combine`, and whether this process's source has the other byte order. */
static dap_dtype draw_combine(program_plan *p, test_random *random)
{
  const int64_t swaps = test_random_int(random, 0, 63) * test_random_int(random, 0, 1);
  p->combine = &combine_kinds[test_random_int(random, 0, COMBINE_KINDS - 1)];
  p->options.combine = p->combine->how;
  p->is_swapped = swaps >> test_rank() & 1;
  return p->combine->dtype;
}

static void draw_sum(program_plan *p, test_random *random)
{
  int64_t size[DAP_MAX_NDIM];
  const int ndim = draw_shape(random, MOST, size);
  const int64_t itemsize = dap_dtype_size(draw_combine(p, random));
  p->sides[0] = side_draw(random, ndim, size, itemsize, &p->arrays[0]);
  p->options.padding = (dap_padding)test_random_int(random, DAP_PADDING_KEEP, DAP_PADDING_REFRESH);
  set_sides(p, true);
}

static dap_status create_sum(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side side = combine_side(p->from, p->combine->dtype, p->is_swapped);
  return dap_plan_create_halo_reverse(comm, &side, 0, &p->options, plan, err);
}

static void fill_sum(program_plan *p)
{
  for (int a = 0; a < p->sources.count; a++)
    combine_fill(&p->sources.sides[a], p->combine->dtype, p->is_swapped, EXACT, salt_of(p, a));
}

static bool check_sum(program_plan *p)
{
  const combine_outcome others = combine_outcome_of(p->options.padding);
  bool good = true;
  for (int a = 0; a < p->sources.count && good; a++) {
    combine_all(p->from, p->combine->how, IN_PLACE, EXACT, salt_of(p, a), whole[0]);
    good = combine_check(&p->sources.sides[a], p->combine->dtype, p->is_swapped, EXACT, salt_of(p, a), others,
                         others, whole[0]);
  }
  return good;
}

/* ---- moves of what all holders have ----------------------------------------------------------------- */

enum { OLD = 1000 /* added to salts: what destinations hold before */ };

static void draw_meeting(program_plan *p, test_random *random)
{
  int64_t size[DAP_MAX_NDIM];
  const int ndim = draw_shape(random, MOST, size);
  const int64_t itemsize = dap_dtype_size(draw_combine(p, random));
  const bool scales = p->combine->how == DAP_COMBINE_SUM;
  for (int s = 0; s < 2; s++) p->sides[s] = side_draw(random, ndim, size, itemsize, &p->arrays[s]);
  p->options.alpha = scales && test_random_one_in(random, 2) ? two : NULL;
  p->options.beta = scales && test_random_one_in(random, 2) ? three : NULL;
  p->options.fill_halos = test_random_one_in(random, 2);
  set_sides(p, false);
}

static dap_status create_meeting(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side from = combine_side(p->from, p->combine->dtype, p->is_swapped);
  const dap_side to = combine_side(p->to, p->combine->dtype, false);
  return dap_plan_create(comm, &from, &to, 0, &p->options, plan, err);
}

static void fill_meeting(program_plan *p)
{
  for (int a = 0; a < p->sources.count; a++) {
    combine_fill(&p->sources.sides[a], p->combine->dtype, p->is_swapped, EXACT, salt_of(p, a));
    combine_fill(&p->destinations.sides[a], p->combine->dtype, false, EXACT, OLD + salt_of(p, a));
  }
}

static bool check_meeting(program_plan *p)
{
  const dap_plan_options *o = &p->options;
  const double alpha = o->alpha ? o->alpha[0] : 1, beta = o->beta ? o->beta[0] : 0;
  bool good = true;
  for (int a = 0; a < p->sources.count && good; a++) {
    combine_all(p->from, p->combine->how, OF_HOLDERS, EXACT, salt_of(p, a), whole[0]);
    combine_all(p->to, p->combine->how, OF_OWNERS, EXACT, OLD + salt_of(p, a), whole[1]);
    for (int64_t e = 0; e < p->to->array->model.count; e++)
      whole[0][e] = alpha * whole[0][e] + beta * whole[1][e];
    good = combine_check(&p->destinations.sides[a], p->combine->dtype, false, EXACT, OLD + salt_of(p, a),
                         OWNERS, o->fill_halos ? OWNERS : AS_BEFORE, whole[0]);
  }
  return good;
}

/* ---- replicated and partial sources ----------------------------------------------------------------- */

static void draw_addends(program_plan *p, test_random *random)
{
  static const dap_dtype types[][2] = {{DAP_F8, DAP_F8}, {DAP_I4, DAP_I4}, {DAP_I4, DAP_F8}};
  int64_t size[DAP_MAX_NDIM];
  const int ndim = draw_shape(random, MOST, size);
  memcpy(p->types, types[test_random_int(random, 0, 2)], sizeof p->types);
  for (int s = 0; s < 2; s++)
    p->sides[s] = addends_draw(random, ndim, size, s == 0, dap_dtype_size(p->types[s]), &p->arrays[s]);
  const bool is_partial = addends_count(&p->arrays[0]) > 1;
  p->options.combine = is_partial ? (dap_combine)test_random_int(random, 0, 3) : DAP_COMBINE_NONE;
  const bool scales = p->options.combine <= DAP_COMBINE_SUM;
  p->options.alpha = scales && test_random_one_in(random, 4) ? two : NULL;
  p->options.beta = scales && test_random_one_in(random, 4) ? three : NULL;
  p->options.fill_halos = test_random_one_in(random, 4);
  p->is_swapped = test_random_one_in(random, 3);
  set_sides(p, false);
}

static dap_status create_addends(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  dap_side from = side_of(p->from), to = side_of(p->to);
  from.dtype = p->types[0];
  from.swapped = p->is_swapped;
  to.dtype = p->types[1];
  const dap_status s = dap_plan_create(comm, &from, &to, 0, &p->options, plan, err);
  if (!s) addends_check_sent(p->from, p->to, *plan, &p->options);
  return s;
}

static void fill_addends(program_plan *p)
{
  for (int a = 0; a < p->sources.count; a++) {
    addends_fill_source(&p->sources.sides[a], p->types[0], p->is_swapped, salt_of(p, a));
    addends_fill_target(&p->destinations.sides[a], p->types[1], salt_of(p, a));
  }
}

static bool check_addends(program_plan *p)
{
  bool good = true;
  for (int a = 0; a < p->sources.count && good; a++)
    good = addends_check(&p->destinations.sides[a], p->types[1], addends_count(p->from->array), &p->options,
                         salt_of(p, a));
  return good;
}

/* ---- bytes from owners, gathers and scatters -------------------------------------------------------- */

static int64_t draw_itemsize(test_random *random)
{
  static const int64_t itemsizes[] = {1, 2, 4, 8, 12, 24};
  return itemsizes[test_random_int(random, 0, 5)];
}

/* Where copies are wrong, also along replicated axes, everything comes from owners. */
static void draw_owned(program_plan *p, test_random *random)
{
  int64_t size[DAP_MAX_NDIM];
  const int64_t itemsize = draw_itemsize(random);
  const int ndim = draw_shape(random, MOST, size);
  for (int s = 0; s < 2; s++) p->sides[s] = side_draw(random, ndim, size, itemsize, &p->arrays[s]);
  p->options.from_owners = true;
  p->options.fill_halos = test_random_one_in(random, 2);
  set_sides(p, false);
}

static dap_status create_owned(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side from = side_of(p->from), to = side_of(p->to);
  return dap_plan_create(comm, &from, &to, p->to->itemsize, &p->options, plan, err);
}

/* The whole array on one process, which side 1 of a gather is, and side 0 of a scatter. */
static void draw_root(program_plan *p, int side, test_random *random)
{
  const int64_t itemsize = draw_itemsize(random);
  const int root = (int)test_random_int(random, 0, test_nprocs() - 1);
  int64_t size[DAP_MAX_NDIM];
  dap_dist whole_dists[DAP_MAX_NDIM];
  const int ndim = draw_shape(random, MOST, size);
  for (int k = 0; k < ndim; k++) whole_dists[k] = dap_dist_local(size[k]);
  (void)array_deal(ndim, whole_dists, NULL, &p->arrays[side]);
  p->sides[side] = side_make(&p->arrays[side], CREATED, &root, itemsize, FORM_C, random);
  p->sides[1 - side] = side_draw(random, ndim, size, itemsize, &p->arrays[1 - side]);
  p->options.fill_halos = side == 0 && test_random_one_in(random, 2);
  set_sides(p, false);
}

static void draw_gather(program_plan *p, test_random *random)
{
  draw_root(p, 1, random);
}

static void draw_scatter(program_plan *p, test_random *random)
{
  draw_root(p, 0, random);
}

static dap_status create_gather(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side side = side_of(p->from);
  return dap_plan_create_gather(comm, &side, p->to->ranks[0], p->to->itemsize, &p->options, plan, err);
}

static dap_status create_scatter(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  const dap_side side = side_of(p->to);
  return dap_plan_create_scatter(comm, p->from->ranks[0], &side, p->to->itemsize, &p->options, plan, err);
}

static void fill_plain(program_plan *p)
{
  for (int a = 0; a < p->sources.count; a++) {
    side_fill(&p->sources.sides[a], salt_of(p, a), p->options.from_owners ? COPIES_ALL_WRONG : COPIES_WRONG);
    side_poison(&p->destinations.sides[a]);
  }
}

static bool check_plain(program_plan *p)
{
  const test_padding padding = p->options.fill_halos ? PADDING_FILLED : PADDING_POISON;
  bool good = true;
  for (int a = 0; a < p->sources.count && good; a++)
    good = side_check(&p->destinations.sides[a], salt_of(p, a), COPIES_RIGHT, padding);
  return good;
}

const program_kind program_kinds[PROGRAM_KINDS] = {
    {"move", draw_move, create_move, fill_move, check_move},
    {"halo update", draw_update, create_update, fill_update, check_update},
    {"reverse halo update", draw_sum, create_sum, fill_sum, check_sum},
    {"move of all holders' values", draw_meeting, create_meeting, fill_meeting, check_meeting},
    {"move of addends", draw_addends, create_addends, fill_addends, check_addends},
    {"move from owners", draw_owned, create_owned, fill_plain, check_plain},
    {"gather", draw_gather, create_gather, fill_plain, check_plain},
    {"scatter", draw_scatter, create_scatter, fill_plain, check_plain},
};
