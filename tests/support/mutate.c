#include "mutate.h"

#include "mpi_test.h"

/* Members that a number is written to: bools, 32-bit and 64-bit integers. A pointer gets 0, because no number
 * follows its word. */
typedef struct word {
  const char *name;
  size_t at, size, step; /* step: bytes to the member of the next axis */
} word;

#define MEMBER(name, member, step)                                                                           \
  {                                                                                                          \
    name, offsetof(dap_array, member), sizeof((dap_array *)0)->member, (step)                                \
  }
#define OF_DIM(name, member) MEMBER(name, dims[0].member, sizeof(dap_dim))
static const word words[] = {MEMBER("abi", abi, 0),
                             MEMBER("dim_count", dim_count, 0),
                             MEMBER("ndim", ndim, 0),
                             MEMBER("dtype", dtype, 0),
                             MEMBER("readonly", readonly, 0),
                             MEMBER("extent", shape[0], sizeof(int64_t)),
                             MEMBER("stride", strides[0], sizeof(int64_t)),
                             MEMBER("no_data", data, 0),
                             OF_DIM("size", size),
                             OF_DIM("procs", proc_grid_size),
                             OF_DIM("rank", proc_grid_rank),
                             OF_DIM("start", start),
                             OF_DIM("stop", stop),
                             OF_DIM("pad_low", padding[0]),
                             OF_DIM("pad_high", padding[1]),
                             OF_DIM("block_size", block_size),
                             OF_DIM("periodic", periodic),
                             OF_DIM("one_to_one", one_to_one),
                             OF_DIM("index_count", index_count),
                             OF_DIM("index_dtype", indices_dtype),
                             OF_DIM("no_indices", indices)};

/* Returns the number that a word stands for. The name of an element type stands for the type. */
static int64_t number_of(const char *text)
{
  for (int dtype = DAP_NONE; dtype <= DAP_C32; dtype++)
    if (!strcmp(dap_dtype_name((dap_dtype)dtype), text)) return dtype;
  if (!strcmp(text, "absent")) return DAP_ABSENT;
  if (!strcmp(text, "max")) return INT64_MAX;
  if (!strcmp(text, "max/2")) return INT64_MAX / 2;
  if (!strcmp(text, "max-1")) return INT64_MAX - 1;
  if (!strcmp(text, "min")) return INT64_MIN;
  return strtoll(text, NULL, 10);
}

/* Returns false if the name is not one of these words. */
static bool set_member(dap_array *array, int axis, const char *name, const char *value)
{
  const int64_t number = number_of(value);
  const int32_t narrow = (int32_t)number;
  const bool is_true = number != 0;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(words[i].name, name) != 0) continue;
    const void *from = words[i].size == 8 ? (const void *)&number : &narrow;
    memcpy((char *)array + words[i].at + (size_t)axis * words[i].step, words[i].size == 1 ? &is_true : from,
           words[i].size);
    return true;
  }
  return false;
}

/* Sets the indices of an axis. They stay until eight lists later. */
static void set_list(dap_dim *dim, const char *text)
{
  enum { LISTS = 8, INDICES = 16 };
  static int64_t memory[LISTS][INDICES];
  static int next;
  int64_t *list = memory[next++ % LISTS];
  char *end = NULL;
  for (dim->index_count = 0; *text && dim->index_count < INDICES; text = end)
    list[dim->index_count++] = strtoll(text, &end, 10);
  dim->indices_dtype = DAP_I8;
  dim->indices = list;
}

/* Sets the version. A text that fills the member has no room for its NUL. */
static void set_version(dap_array *array, const char *text)
{
  const size_t length = strlen(text) + 1;
  memset(array->version, 'x', sizeof array->version);
  memcpy(array->version, text, length < sizeof array->version ? length : sizeof array->version);
}

static void set_word(dap_array *array, int axis, const char *name, const char *value)
{
  dap_dim *dim = &array->dims[axis];
  if (set_member(array, axis, name, value)) return;
  if (!strcmp(name, "fit"))
    array->shape[axis] = dim->dist_type == 'u' ? dim->index_count : dim->stop - dim->start;
  else if (!strcmp(name, "version"))
    set_version(array, value);
  else if (!strcmp(name, "type"))
    dim->dist_type = (char)(strcmp(value, "{}") != 0 ? *value : 0);
  else if (!strcmp(name, "indices"))
    set_list(dim, value);
  else
    EXPECT_MSG(false, "no word of change_array(): '%s'", name);
}

static void change_one(dap_array *array, const char *text)
{
  char name[32] = "";
  int axis = 0, read = 0;
  if (sscanf(text, " axis %d %n", &axis, &read) < 1) read = 0;
  const char *value = text + read;
  if (sscanf(value, " %31s%n", name, &read) < 1) return;
  value += read + (value[read] == ' ');
  set_word(array, axis, name, value);
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
