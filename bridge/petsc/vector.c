/* Adapts vectors without a grid: gives an array as a Vec. */
#include "vector_impl.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int64_t count(const dap_view *view)
{
  int64_t all = 1;
  for (int k = 0; k < dap_layout_ndim(view->layout); k++) all *= view->shape[k];
  return all;
}

/* PETSc counts entries, and bytes of them, in signed integers. */
static dap_status check(dap_view *view, dap_error *err)
{
  const dap_petsc_vector_options *o = view->options;
  const int64_t all = count(view), block_size = dap_vector_block_size(view);
  DAP_REQUIRE(o->order == 0 || o->order == DAP_ORDER_C || o->order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "options: order is %d, not one of its values", (int)o->order);
  DAP_REQUIRE(block_size > 0, err, DAP_ERR_ARG, "options: block_size is %" PRId64 ", negative", block_size);
  DAP_REQUIRE(all <= PETSC_MAX_INT, err, DAP_ERR_RANGE,
              "the array has %" PRId64 " elements, more than PetscInt counts, %" PRId64, all,
              (int64_t)PETSC_MAX_INT);
  DAP_REQUIRE(block_size <= PETSC_MAX_INT, err, DAP_ERR_RANGE, "the block size %" PRId64 " exceeds PetscInt",
              block_size);
  DAP_REQUIRE(all % block_size == 0, err, DAP_ERR_UNSUPPORTED,
              "%" PRId64 " elements are not a multiple of block size %" PRId64, all, block_size);
  return dap_petsc_is_started(err);
}

static int words(const dap_view *view, dap_view_word w[])
{
  const dap_petsc_vector_options *o = view->options;
  w[0] = (dap_view_word){"options: order", (uint64_t)dap_vector_order(view)};
  w[1] = (dap_view_word){"options: natural", o->natural};
  w[2] = (dap_view_word){"options: block_size", (uint64_t)dap_vector_block_size(view)};
  w[3] = (dap_view_word){NULL, dap_vector_knows(view)};
  w[4] = (dap_view_word){NULL, dap_vector_owners_given(view)};
  return 5;
}

static dap_status open(dap_view *view, dap_error *err)
{
  dap_view_vec *v = &dap_petsc_state_of(view)->vectors[0];
  v->is_readonly = view->access == DAP_READ;
  DAP_TRY(dap_vector_make(view, err));
  return DAP_CATCH(dap_view_vec_lock(v), "locking the vector", err);
}

static void show(const dap_view *view, bool lives, void *object)
{
  const dap_petsc_state *state = view->state;
  dap_petsc_vector *vector = object;
  vector->shared = view->targets[0].shared;
  vector->moved_bytes = view->moved_bytes;
  memcpy(vector->reason, view->targets[0].reason, sizeof vector->reason);
  if (!lives) return;
  vector->vec = state->vectors[0].vec;
  vector->ao = state->ao;
}

static int describe(const dap_view *view, char *text, size_t capacity)
{
  return snprintf(text, capacity, "vector of %" PRId64 " entries", count(view));
}

static const dap_adapter adapter = {.name = "vector",
                                    .function = "dap_petsc_vector_get",
                                    .object_size = sizeof(dap_petsc_vector),
                                    .handle = offsetof(dap_petsc_vector, handle),
                                    .options_size = sizeof(dap_petsc_vector_options),
                                    .form_size = sizeof(dap_vector_form),
                                    .targets = 1,
                                    DAP_PETSC_ADAPTER,
                                    .check = check,
                                    .words = words,
                                    .vote = dap_vector_vote,
                                    .share = dap_vector_share,
                                    .lay = dap_vector_lay,
                                    .plan = dap_vector_plan,
                                    .release = dap_vector_release,
                                    .open = open,
                                    .get_memory = dap_view_vec_get_array,
                                    .restore_memory = dap_view_vec_restore_array,
                                    .changed = dap_view_vec_changed,
                                    .show = show,
                                    .describe = describe};

dap_status dap_petsc_vector_get(MPI_Comm comm, dap_darray array, dap_access access,
                                const dap_petsc_vector_options *options, dap_petsc_vector *vector,
                                dap_error *err)
{
  const dap_petsc_vector_options o = options ? *options : (dap_petsc_vector_options){0};
  const dap_view_request request = {comm, array, access, o.sharing, o.part, o.lossy, &o};
  return dap_view_get(&adapter, &request, vector, err);
}

DAP_VIEW_FUNCTIONS(dap_petsc_vector, dap_petsc_vector, adapter)

dap_status dap_petsc_vector_halo_reverse(dap_petsc_vector *vector, dap_combine combine, dap_padding padding,
                                         dap_error *err)
{
  return dap_view_halo_reverse(&adapter, vector, combine, padding, err);
}
