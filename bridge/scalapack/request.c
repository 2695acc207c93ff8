/* Checks the options of a caller on this process. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

dap_status dap_scalapack_check_dtype(dap_dtype dtype, dap_error *err)
{
  const dap_dtype integer = sizeof(dap_scalapack_int) == sizeof(int32_t) ? DAP_I4 : DAP_I8;
  DAP_REQUIRE(dtype == DAP_F4 || dtype == DAP_F8 || dtype == DAP_C8 || dtype == DAP_C16 || dtype == integer,
              err, DAP_ERR_BUFFER, "ScaLAPACK has no matrices of %s", dap_dtype_name(dtype));
  return DAP_OK;
}

static dap_status check_sizes(const dap_view *view, dap_error *err)
{
  for (int k = 0; k < 2; k++) {
    const int64_t size = dap_layout_size(view->layout, k);
    DAP_REQUIRE(size <= DAP_SCALAPACK_INT_MAX, err, DAP_ERR_RANGE,
                "axis %d: size %" PRId64 " exceeds ScaLAPACK's %d-bit integers",
                dap_scalapack_options_of(view)->part.axes[k], size, (int)(8 * sizeof(dap_scalapack_int)));
  }
  return DAP_OK;
}

static dap_status check_grid(const dap_view *view, dap_error *err)
{
  const int *grid = dap_scalapack_options_of(view)->grid;
  const int nprocs = view->nprocs;
  DAP_REQUIRE(grid[0] >= 0 && grid[1] >= 0, err, DAP_ERR_ARG, "options: grid %d x %d is negative", grid[0],
              grid[1]);
  if (grid[0] && grid[1]) {
    DAP_REQUIRE((int64_t)grid[0] * grid[1] <= nprocs, err, DAP_ERR_ARG,
                "options: grid %d x %d has more than the %d processes that hold the matrix", grid[0], grid[1],
                nprocs);
    return DAP_OK;
  }
  const int given = grid[0] ? grid[0] : grid[1];
  DAP_REQUIRE(given == 0 || nprocs % given == 0, err, DAP_ERR_ARG,
              "options: grid: %d does not divide the %d processes that hold the matrix", given, nprocs);
  return DAP_OK;
}

static dap_status check_blocks(const dap_view *view, dap_error *err)
{
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  const dap_matrix_needs *needs = &dap_scalapack_state_of(view)->needs;
  for (int k = 0; k < 2; k++) {
    const int64_t size = o->block_size[k];
    DAP_REQUIRE(size >= 0 && size <= INT_MAX, err, DAP_ERR_ARG,
                "options: block_size[%d] is %" PRId64 ", not within 0..%d", k, size, INT_MAX);
    DAP_REQUIRE(!size || (size >= needs->least_block && (!needs->most_block || size <= needs->most_block)),
                err, DAP_ERR_ARG,
                "options: block_size[%d] is %" PRId64 ", outside the needs' %" PRId64 " .. %" PRId64, k, size,
                needs->least_block, needs->most_block);
  }
  DAP_REQUIRE(needs->least_block >= 0 && needs->most_block >= 0 && needs->most_block <= INT_MAX &&
                  needs->least_block <= (needs->most_block ? needs->most_block : INT_MAX),
              err, DAP_ERR_ARG, "options: no block size is within the needs' %" PRId64 " .. %" PRId64,
              needs->least_block, needs->most_block);
  DAP_REQUIRE(!needs->square_blocks || !o->block_size[0] || !o->block_size[1] ||
                  o->block_size[0] == o->block_size[1],
              err, DAP_ERR_ARG, "options: square blocks with block sizes %" PRId64 " and %" PRId64,
              o->block_size[0], o->block_size[1]);
  return DAP_OK;
}

/* Joins the requirements of options.needs and options.routine. */
static dap_status add_needs(dap_view *view, dap_error *err)
{
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  dap_matrix_needs *needs = &dap_scalapack_state_of(view)->needs;
  *needs = o->needs;
  DAP_REQUIRE((unsigned)needs->offset <= DAP_OFFSET_ANY && (unsigned)needs->align <= DAP_ALIGN_LEADING, err,
              DAP_ERR_ARG, "options: needs has offset %d and align %d, which are not values of theirs",
              (int)needs->offset, (int)needs->align);
  dap_scalapack_state_of(view)->is_for_pblas = dap_scalapack_is_pblas(o->routine);
  if (!o->routine) return DAP_OK;
  dap_matrix_needs routine;
  DAP_TRY(dap_matrix_needs_for(o->routine, !o->aligned_with, &routine, err));
  needs->dtypes = needs->dtypes ? needs->dtypes & routine.dtypes : routine.dtypes;
  needs->square = needs->square || routine.square;
  if (routine.least_size > needs->least_size) needs->least_size = routine.least_size;
  needs->square_blocks = needs->square_blocks || routine.square_blocks;
  needs->several_blocks = needs->several_blocks || routine.several_blocks;
  needs->spans_grid = needs->spans_grid || routine.spans_grid;
  needs->occupied = needs->occupied || routine.occupied;
  needs->tall_grid = needs->tall_grid || routine.tall_grid;
  needs->factorised = needs->factorised || routine.factorised;
  needs->no_row_pair = needs->no_row_pair || routine.no_row_pair;
  needs->any_sources = routine.any_sources;
  needs->offset = routine.offset;
  if (routine.align > needs->align) needs->align = routine.align;
  return DAP_OK;
}

/* Finds the view of options.aligned_with, and checks the options that depend on it. */
static dap_status check_neighbour(dap_view *view, dap_error *err)
{
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  dap_scalapack_state *state = dap_scalapack_state_of(view);
  int relation = MPI_UNEQUAL;
  DAP_REQUIRE(o->aligned_with || state->needs.align == DAP_ALIGN_GRID, err, DAP_ERR_ARG,
              "options: needs.align needs aligned_with");
  DAP_REQUIRE(!(o->aligned_with && o->context), err, DAP_ERR_ARG,
              "options: aligned_with and context are both given");
  DAP_REQUIRE(!(o->aligned_with || o->context) || (!o->grid[0] && !o->grid[1]), err, DAP_ERR_ARG,
              "options: grid must be 0 with %s", o->aligned_with ? "aligned_with" : "context");
  if (!o->aligned_with) return DAP_OK;
  state->neighbour = dap_view_of(view->adapter, o->aligned_with);
  DAP_REQUIRE(state->neighbour, err, DAP_ERR_ARG, "options: aligned_with is not a live view");
  DAP_REQUIRE(MPI_Comm_compare(state->neighbour->comm, view->caller, &relation) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Comm_compare failed");
  DAP_REQUIRE(relation == MPI_IDENT || relation == MPI_CONGRUENT, err, DAP_ERR_ARG,
              "options: aligned_with is a view of other processes, or in another order");
  DAP_REQUIRE(!o->block_size[0] && !o->block_size[1], err, DAP_ERR_ARG,
              "options: block_size must be 0 with aligned_with");
  return DAP_OK;
}

dap_status dap_scalapack_check(dap_view *view, dap_error *err)
{
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  const dap_scalapack_state *state = dap_scalapack_state_of(view);
  const int ndim = dap_layout_ndim(view->layout);
  DAP_REQUIRE(ndim == 2, err, DAP_ERR_UNSUPPORTED, "a matrix has 2 axes, but the array has %d", ndim);
  DAP_TRY(dap_scalapack_check_dtype(view->dtype, err));
  DAP_TRY(add_needs(view, err));
  DAP_TRY(dap_matrix_check(&state->needs, view->dtype, view->shape, err));
  DAP_TRY(check_sizes(view, err));
  DAP_REQUIRE(o->op == 0 || o->op == 'N' || o->op == 'T', err, DAP_ERR_ARG,
              "options: op is character %d, not 'N', 'T' or 0", (int)o->op);
  DAP_REQUIRE(o->columns >= 0 && o->columns <= DAP_SCALAPACK_INT_MAX, err, DAP_ERR_ARG,
              "options: columns is %" PRId64, o->columns);
  DAP_TRY(check_blocks(view, err));
  DAP_TRY(check_grid(view, err));
  DAP_TRY(check_neighbour(view, err));
  const dap_view *neighbour = state->neighbour;
  const bool is_adopted = neighbour && dap_scalapack_form_of(neighbour)->grid->adopted;
  view->keep = !o->context && !is_adopted; /* a grid of the caller's may end with its context */
  return DAP_OK;
}

/* ---- what must be the same on every process --------------------------------------------------------- */

/* Hashes the neighbour without its context, whose number differs between processes. */
static uint64_t hash_neighbour(const dap_view *neighbour)
{
  if (!neighbour) return 0;
  const dap_scalapack_form *form = dap_scalapack_form_of(neighbour);
  const dap_blacs_map *map = &form->grid->map;
  const int64_t words[] = {map->procs[0],
                           map->procs[1],
                           form->block[0],
                           form->block[1],
                           dap_scalapack_owner(form, 0),
                           dap_scalapack_owner(form, 1),
                           dap_scalapack_inside(form, 0),
                           dap_scalapack_inside(form, 1),
                           dap_scalapack_extent(neighbour, 0),
                           dap_scalapack_extent(neighbour, 1),
                           form->grid->adopted,
                           form->op};
  const size_t procs = (size_t)map->procs[0] * (size_t)map->procs[1];
  return dap_hash(dap_hash(0, words, sizeof words), map->ranks, procs * sizeof *map->ranks);
}

static uint64_t hash_needs(const dap_matrix_needs *needs)
{
  const int64_t words[] = {
      needs->dtypes,         needs->square,      needs->least_size, needs->square_blocks, needs->any_sources,
      needs->several_blocks, needs->spans_grid,  needs->occupied,   needs->tall_grid,     needs->factorised,
      needs->no_row_pair,    needs->least_block, needs->most_block, needs->offset,        needs->align};
  return dap_hash(0, words, sizeof words);
}

int dap_scalapack_words(const dap_view *view, dap_view_word words[])
{
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  const dap_scalapack_state *state = dap_scalapack_state_of(view);
  const bool must_lead = state->neighbour && state->needs.align == DAP_ALIGN_LEADING;
  const dap_view_word all[] = {
      {"options: op", (uint64_t)o->op},
      {"part: axes", dap_scalapack_is_vector(o)},
      {"options: needs or routine", hash_needs(&state->needs)},
      {"options: aligned_with", hash_neighbour(state->neighbour)},
      {"options: context", o->context != NULL},
      {"options: block_size[0]", (uint64_t)o->block_size[0]},
      {"options: block_size[1]", (uint64_t)o->block_size[1]},
      {"options: grid[0]", (uint64_t)o->grid[0]},
      {"options: grid[1]", (uint64_t)o->grid[1]},
      {"options: columns", (uint64_t)o->columns},
      {NULL, (uint64_t)(must_lead ? dap_scalapack_leading(state->neighbour) : 0)},
  };
  memcpy(words, all, sizeof all);
  return (int)(sizeof all / sizeof all[0]);
}
