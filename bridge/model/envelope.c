/* Compares the properties that arrays of all processes must have in common, with those of rank 0. */
#include "model_impl.h"

#include <inttypes.h>
#include <string.h>

enum { VERSION_0, VERSION_1, DTYPE, NDIM, AXES };
enum { AXIS_TYPE, AXIS_SIZE, AXIS_PROCS, AXIS_BLOCK, AXIS_PERIODIC, AXIS_ONE_TO_ONE, AXIS_WORDS };
static const char *const axis_names[AXIS_WORDS] = {"dist_type",  "size",     "proc_grid_size",
                                                   "block_size", "periodic", "one_to_one"};
_Static_assert((int)AXIS_WORDS == (int)DAP_ENVELOPE_AXIS, "the words of an axis");
_Static_assert(AXES + DAP_MAX_NDIM * AXIS_WORDS == DAP_ENVELOPE, "the words of an envelope");
_Static_assert(2 * sizeof(int64_t) == DAP_VERSION_TEXT, "a version in two words");

void dap_envelope_fill(const dap_array *array, const dap_dim dims[], bool without_buffer,
                       int64_t words[DAP_ENVELOPE])
{
  memset(words, 0, DAP_ENVELOPE * sizeof *words);
  char version[DAP_VERSION_TEXT] = "";
  for (int i = 0; array->version[i]; i++) version[i] = array->version[i];
  memcpy(&words[VERSION_0], version, sizeof version);
  words[DTYPE] = without_buffer ? DAP_NONE : array->dtype;
  words[NDIM] = array->dim_count;
  for (int k = 0; k < array->dim_count; k++) {
    int64_t *axis = &words[AXES + k * AXIS_WORDS];
    const char type = dims[k].dist_type;
    axis[AXIS_TYPE] = (unsigned char)type;
    axis[AXIS_SIZE] = dims[k].size;
    axis[AXIS_PROCS] = dims[k].proc_grid_size;
    axis[AXIS_BLOCK] = type == 'c' ? dims[k].block_size : 0;
    axis[AXIS_PERIODIC] = type == 'b' && dims[k].periodic;
    axis[AXIS_ONE_TO_ONE] = type == 'u' && dims[k].one_to_one;
  }
}

dap_status dap_envelope_compare(const int64_t mine[DAP_ENVELOPE], const int64_t first[DAP_ENVELOPE],
                                dap_error *err)
{
  char version[2][DAP_VERSION_TEXT];
  memcpy(version[0], &mine[VERSION_0], sizeof version[0]);
  memcpy(version[1], &first[VERSION_0], sizeof version[1]);
  DAP_RULE(2, strcmp(version[0], version[1]) == 0, err, DAP_ERR_LAYOUT,
           "__version__ '%s' differs from '%s' on rank 0", version[0], version[1]);
  DAP_RULE(20, mine[DTYPE] == first[DTYPE], err, DAP_ERR_LAYOUT, "element type %s differs from %s on rank 0",
           dap_dtype_name((dap_dtype)mine[DTYPE]), dap_dtype_name((dap_dtype)first[DTYPE]));
  DAP_RULE(4, mine[NDIM] == first[NDIM], err, DAP_ERR_LAYOUT,
           "number of axes %" PRId64 " differs from %" PRId64 " on rank 0", mine[NDIM], first[NDIM]);
  for (int i = 0; i < (int)mine[NDIM] * AXIS_WORDS; i++) {
    const int64_t here = mine[AXES + i], there = first[AXES + i];
    const int axis = i / AXIS_WORDS, word = i % AXIS_WORDS;
    DAP_RULE(7, here == there || word != AXIS_TYPE, err, DAP_ERR_LAYOUT,
             "axis %d: dist_type '%c' differs from '%c' on rank 0", axis, (char)here, (char)there);
    DAP_RULE(7, here == there, err, DAP_ERR_LAYOUT,
             "axis %d: %s %" PRId64 " differs from %" PRId64 " on rank 0", axis, axis_names[word], here,
             there);
  }
  return DAP_OK;
}
