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

/* ---- changes in words ------------------------------------------------------------------------------- */

static const struct {
  const char *word;
  test_key key;
} words[] = {{"abi", KEY_ABI},
             {"version", KEY_VERSION},
             {"dim_count", KEY_DIM_COUNT},
             {"ndim", KEY_NDIM},
             {"dtype", KEY_DTYPE},
             {"no_data", KEY_NULL},
             {"readonly", KEY_READONLY},
             {"extent", KEY_EXTENT},
             {"fit", KEY_FIT},
             {"stride", KEY_STRIDE},
             {"type", KEY_TYPE},
             {"size", KEY_SIZE},
             {"procs", KEY_PROCS},
             {"rank", KEY_RANK},
             {"start", KEY_START},
             {"stop", KEY_STOP},
             {"pad_low", KEY_PAD_LOW},
             {"pad_high", KEY_PAD_HIGH},
             {"block_size", KEY_BLOCK},
             {"periodic", KEY_PERIODIC},
             {"one_to_one", KEY_ONE_TO_ONE},
             {"indices", KEY_LIST},
             {"index_count", KEY_INDEX_COUNT},
             {"index_dtype", KEY_INDEX_DTYPE},
             {"no_indices", KEY_INDICES_NULL}};

static test_key key_of(const char *word)
{
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (!strcmp(words[i].word, word)) return words[i].key;
  EXPECT_MSG(false, "no word of change_array(): '%s'", word);
  return KEY_END;
}

static int64_t number_of(const char *text)
{
  if (!strcmp(text, "absent")) return DAP_ABSENT;
  if (!strcmp(text, "max")) return INT64_MAX;
  if (!strcmp(text, "max/2")) return INT64_MAX / 2;
  if (!strcmp(text, "max-1")) return INT64_MAX - 1;
  if (!strcmp(text, "min")) return INT64_MIN;
  return strtoll(text, NULL, 10);
}

static int64_t dtype_of(const char *text)
{
  for (int dtype = DAP_NONE; dtype <= DAP_C32; dtype++)
    if (!strcmp(dap_dtype_name((dap_dtype)dtype), text)) return dtype;
  return number_of(text);
}

/* The indices stay until the eighth list after. */
static void read_list(const char *text, test_change *change)
{
  enum { LISTS = 8, INDICES = 16 };
  static int64_t memory[LISTS][INDICES];
  static int next;
  int64_t *list = memory[next++ % LISTS];
  char *end = NULL;
  for (change->value = 0; *text && change->value < INDICES; text = end)
    list[change->value++] = strtoll(text, &end, 10);
  change->what = list;
}

static void change_one(dap_array *array, const char *text)
{
  test_change change = {0};
  char word[32] = "";
  int read = 0;
  if (sscanf(text, " axis %d %n", &change.axis, &read) < 1) read = 0;
  const char *value = text + read;
  if (sscanf(value, " %31s%n", word, &read) < 1) return;
  value += read + (value[read] == ' ');
  change.key = key_of(word);
  change.what = value;
  if (change.key == KEY_LIST)
    read_list(value, &change);
  else if (change.key == KEY_TYPE)
    change.value = strcmp(value, "{}") != 0 ? *value : 0;
  else if (change.key == KEY_DTYPE || change.key == KEY_INDEX_DTYPE)
    change.value = dtype_of(value);
  else if (change.key != KEY_VERSION)
    change.value = number_of(value);
  apply(array, &change);
}

void change_array(dap_array *array, const char *changes)
{
  char one[128];
  for (const char *at = changes; *at;) {
    const size_t length = strcspn(at, ",");
    if (EXPECT(length < sizeof one)) {
      snprintf(one, sizeof one, "%.*s", (int)length, at);
      change_one(array, one);
    }
    at += length + (at[length] == ',');
  }
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
