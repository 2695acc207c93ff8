#include "mutate.h"

#include "mpi_test.h"

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
  case KEY_INDEX_COUNT:
    return &dim->index_count;
  default:
    return NULL;
  }
}

/* A text that fills the member has no room for its NUL. */
static void set_version(dap_array *array, const char *text)
{
  const size_t length = strlen(text) + 1;
  memset(array->version, 'x', sizeof array->version);
  memcpy(array->version, text, length < sizeof array->version ? length : sizeof array->version);
}

static void set_list(dap_dim *dim, const test_change *change)
{
  dim->indices_dtype = DAP_I8;
  dim->index_count = change->value;
  dim->indices = change->what;
}

static void apply(dap_array *array, const test_change *change)
{
  dap_dim *dim = &array->dims[change->axis];
  int64_t *word = word_of(array, change->key, change->axis);
  if (word) *word = change->value;
  if (change->key == KEY_FIT)
    array->shape[change->axis] = dim->dist_type == 'u' ? dim->index_count : dim->stop - dim->start;
  if (change->key == KEY_ABI) array->abi = (int32_t)change->value;
  if (change->key == KEY_VERSION) set_version(array, change->what);
  if (change->key == KEY_DIM_COUNT) array->dim_count = (int32_t)change->value;
  if (change->key == KEY_NDIM) array->ndim = (int32_t)change->value;
  if (change->key == KEY_DTYPE) array->dtype = (dap_dtype)change->value;
  if (change->key == KEY_NULL) array->data = NULL;
  if (change->key == KEY_READONLY) array->readonly = change->value != 0;
  if (change->key == KEY_TYPE) dim->dist_type = (char)change->value;
  if (change->key == KEY_PERIODIC) dim->periodic = change->value != 0;
  if (change->key == KEY_ONE_TO_ONE) dim->one_to_one = change->value != 0;
  if (change->key == KEY_LIST) set_list(dim, change);
  if (change->key == KEY_INDEX_DTYPE) dim->indices_dtype = (dap_dtype)change->value;
  if (change->key == KEY_INDICES_NULL) dim->indices = NULL;
}

void apply_changes(dap_array *array, const test_change changes[TEST_CHANGES])
{
  for (int i = 0; i < TEST_CHANGES && changes[i].key != KEY_END; i++) apply(array, &changes[i]);
}

bool expect_rule(const dap_error *err, int rule)
{
  char ending[32];
  snprintf(ending, sizeof ending, " (rule %d)", rule);
  const size_t length = strlen(err->text), tail = strlen(ending);
  if (!EXPECT_INT(err->rule, rule)) return false;
  if (rule == 0) return EXPECT_MSG(!strstr(err->text, "(rule"), "\"%s\" names a rule", err->text);
  return EXPECT_MSG(length > tail && !strcmp(err->text + length - tail, ending),
                    "\"%s\" does not end in \"%s\"", err->text, ending);
}
