/* What a caller asks for: its options, and the array, checked on this process. */
#include "elpa_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static dap_status check_type(dap_dtype dtype, dap_error *err)
{
  DAP_REQUIRE(dap_elpa_routines_of(dtype), err, DAP_ERR_BUFFER, "ELPA has no matrices of %s",
              dap_dtype_name(dtype));
  return dap_elpa_can(dtype, err);
}

static dap_status check_shape(const dap_view *view, dap_error *err)
{
  const dap_elpa_options *o = dap_elpa_options_of(view);
  const int64_t *shape = view->shape;
  DAP_REQUIRE(shape[0] <= INT_MAX, err, DAP_ERR_RANGE, "%" PRId64 " rows exceed ELPA's 32-bit integers",
              shape[0]);
  DAP_REQUIRE(shape[0] == shape[1] || o->like, err, DAP_ERR_ARG,
              "ELPA's matrices are square, and the array is %" PRId64 " x %" PRId64, shape[0], shape[1]);
  DAP_REQUIRE(shape[1] <= shape[0], err, DAP_ERR_ARG, "%" PRId64 " vectors of %" PRId64 " elements", shape[1],
              shape[0]);
  DAP_REQUIRE(shape[0] == shape[1] || o->op != 'T', err, DAP_ERR_ARG,
              "options: op 'T' with an array that is not square");
  DAP_REQUIRE(o->vectors >= 0 && o->vectors <= shape[0], err, DAP_ERR_ARG,
              "options: vectors is %d, not within 0 .. %" PRId64, o->vectors, shape[0]);
  return DAP_OK;
}

static dap_status check_grid(const dap_view *view, dap_error *err)
{
  const dap_elpa_options *o = dap_elpa_options_of(view);
  DAP_REQUIRE(o->block_size >= 0 && o->block_size <= INT_MAX, err, DAP_ERR_ARG,
              "options: block_size is %" PRId64 ", not within 0 .. %d", o->block_size, INT_MAX);
  DAP_REQUIRE(o->grid[0] >= 0 && o->grid[1] >= 0 && (o->grid[0] > 0) == (o->grid[1] > 0), err, DAP_ERR_ARG,
              "options: grid is %d x %d", o->grid[0], o->grid[1]);
  DAP_REQUIRE((int64_t)o->grid[0] * o->grid[1] <= view->nprocs, err, DAP_ERR_ARG,
              "options: grid is %d x %d, and the array is on %d processes", o->grid[0], o->grid[1],
              view->nprocs);
  return DAP_OK;
}

/* The view of options.like, and what goes together with it. */
static dap_status check_like(dap_view *view, dap_error *err)
{
  const dap_elpa_options *o = dap_elpa_options_of(view);
  int relation = MPI_UNEQUAL;
  if (!o->like) return DAP_OK;
  const dap_view *like = dap_view_of(view->adapter, o->like);
  DAP_REQUIRE(like, err, DAP_ERR_ARG, "options: like is not a live view");
  DAP_REQUIRE(MPI_Comm_compare(like->comm, view->caller, &relation) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_compare failed");
  DAP_REQUIRE(relation == MPI_IDENT || relation == MPI_CONGRUENT, err, DAP_ERR_ARG,
              "options: like is a view of other processes, or in another order");
  DAP_REQUIRE(!o->block_size && !o->grid[0] && !o->vectors, err, DAP_ERR_ARG,
              "options: block_size, grid and vectors must be 0 with like");
  DAP_REQUIRE(view->shape[0] == dap_elpa_form_of(like)->size, err, DAP_ERR_ARG,
              "options: like is a matrix of %" PRId64 " rows, and the array has %" PRId64,
              dap_elpa_form_of(like)->size, view->shape[0]);
  DAP_REQUIRE(view->dtype == like->dtype, err, DAP_ERR_BUFFER, "options: like is of %s, and the array of %s",
              dap_dtype_name(like->dtype), dap_dtype_name(view->dtype));
  dap_elpa_state_of(view)->like = like;
  return DAP_OK;
}

dap_status dap_elpa_check(dap_view *view, dap_error *err)
{
  const dap_elpa_options *o = dap_elpa_options_of(view);
  const int ndim = dap_layout_ndim(view->layout);
  DAP_REQUIRE(ndim == 2, err, DAP_ERR_UNSUPPORTED, "%d axes are no matrix", ndim);
  DAP_REQUIRE(o->op == 0 || o->op == 'N' || o->op == 'T', err, DAP_ERR_ARG,
              "options: op is character %d, not 'N', 'T' or 0", (int)o->op);
  DAP_TRY(check_type(view->dtype, err));
  DAP_TRY(check_shape(view, err));
  DAP_TRY(check_grid(view, err));
  return check_like(view, err);
}

/* ---- what must be the same on every process --------------------------------------------------------- */

static uint64_t hash_like(const dap_view *like)
{
  if (!like) return 0;
  const dap_elpa_form *form = dap_elpa_form_of(like);
  const int64_t words[] = {form->op, form->block, form->procs[0], form->procs[1]};
  const size_t procs = (size_t)form->procs[0] * (size_t)form->procs[1];
  return dap_hash(dap_hash(0, words, sizeof words), form->ranks, procs * sizeof *form->ranks);
}

int dap_elpa_words(const dap_view *view, dap_view_word words[])
{
  const dap_elpa_options *o = dap_elpa_options_of(view);
  const dap_view *like = dap_elpa_state_of(view)->like;
  const dap_view_word all[] = {
      {"options: op", (uint64_t)o->op},
      {"options: vectors", (uint64_t)o->vectors},
      {"options: like", hash_like(like)},
      {"options: block_size", (uint64_t)o->block_size},
      {"options: grid[0]", (uint64_t)o->grid[0]},
      {"options: grid[1]", (uint64_t)o->grid[1]},
      {NULL, like ? (uint64_t)dap_elpa_state_of(like)->rows : 0},
      {NULL, dap_elpa_request_of(view)->fast},
  };
  memcpy(words, all, sizeof all);
  return (int)(sizeof all / sizeof all[0]);
}
