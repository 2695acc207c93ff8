#include "mutate.h"

#include <string.h>

/* The integer word of `axis` that `key` names; NULL for the others. */
static int64_t *word_of(dap_array *array, test_key key, int axis)
{
  dap_dim *dim = &array->dims[axis];
  switch (key) {
  case KEY_EXTENT:
    return &array->shape[axis];
  case KEY_STRIDE:
    return &array->strides[axis];
  case KEY_SIZE:
    return &dim->size;
  case KEY_PROCS:
    return &dim->proc_grid_size;
  case KEY_RANK:
    return &dim->proc_grid_rank;
  case KEY_START:
    return &dim->start;
  case KEY_STOP:
    return &dim->stop;
  case KEY_PAD_LOW:
    return &dim->padding[0];
  case KEY_PAD_HIGH:
    return &dim->padding[1];
  case KEY_BLOCK:
    return &dim->block_size;
  default:
    return NULL;
  }
}

static void apply(dap_array *array, const test_change *change)
{
  int64_t *word = word_of(array, change->key, change->axis);
  if (word) *word = change->value;
  if (change->key == KEY_FIT)
    array->shape[change->axis] = array->dims[change->axis].stop - array->dims[change->axis].start;
  if (change->key == KEY_ABI) array->abi = (int32_t)change->value;
  if (change->key == KEY_DIM_COUNT) array->dim_count = (int32_t)change->value;
  if (change->key == KEY_NDIM) array->ndim = (int32_t)change->value;
  if (change->key == KEY_DTYPE) array->dtype = (dap_dtype)change->value;
  if (change->key == KEY_NULL) array->data = NULL;
  if (change->key == KEY_TYPE) array->dims[change->axis].dist_type = (char)change->value;
  if (change->key == KEY_PERIODIC) array->dims[change->axis].periodic = change->value != 0;
  if (change->key == KEY_ONE_TO_ONE) array->dims[change->axis].one_to_one = change->value != 0;
  if (change->key != KEY_VERSION) return;
  memset(array->version, 'x', sizeof array->version); /* a text that fills it has no room for its NUL */
  memcpy(array->version, change->text,
         strlen(change->text) < sizeof array->version ? strlen(change->text) + 1 : sizeof array->version);
}

void apply_changes(dap_array *array, const test_change changes[TEST_CHANGES])
{
  for (int i = 0; i < TEST_CHANGES && changes[i].key != KEY_END; i++) apply(array, &changes[i]);
}
