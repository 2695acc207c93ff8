/* Lists the versions of the protocol, one row each. Other files ask a row for its properties, never for its
 * version. */
#include "model_impl.h"

#include <ctype.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const dap_dist_name names_0_0_1[] = {
    {.name = NULL, .dist_type = 'n'},
    {.name = "b", .dist_type = 'b'},
    {.name = "bp", .dist_type = 'b', .has_padding = true},
    {.name = "c", .dist_type = 'c'},
    {.name = "bc", .dist_type = 'c', .has_block_size = true},
    {.name = "u", .dist_type = 'u'},
};

static const dap_dist_name names_0_9[] = {
    {.name = "n", .dist_type = 'n', .has_padding = true},
    {.name = "b", .dist_type = 'b', .has_padding = true},
    {.name = "c", .dist_type = 'c', .has_block_size = true},
    {.name = "u", .dist_type = 'u'},
};

#define KEYS_SINCE_0_9                                                                                       \
  {                                                                                                          \
    .dim_data = "dim_data", .dist_type = "dist_type", .size = "size", .proc_grid_size = "proc_grid_size",    \
    .proc_grid_rank = "proc_grid_rank", .start = "start", .stop = "stop", .padding = "padding",              \
    .periodic = "periodic", .block_size = "block_size", .indices = "indices", .one_to_one = "one_to_one"     \
  }

static const dap_dialect dialects[] = {
    {.versions = "0.10.*",
     .exported = "0.10.0",
     .keys = KEYS_SINCE_0_9,
     .names = names_0_9 + 1, /* without 'n' */
     .name_count = COUNT(names_0_9) - 1,
     .has_empty = true,
     .padding_inside = true},
    {.versions = "0.9.*",
     .exported = "0.9.0",
     .keys = KEYS_SINCE_0_9,
     .names = names_0_9,
     .name_count = COUNT(names_0_9),
     .periodic_wraps = true},
    {.versions = "0.0.1",
     .exported = "0.0.1",
     .is_tuple = true,
     .keys = {.dim_data = "dimdata",
              .dist_type = "disttype",
              .size = "datasize",
              .proc_grid_size = "gridsize",
              .proc_grid_rank = "gridrank",
              .start = "start",
              .stop = "stop",
              .padding = "padding",
              .periodic = "periodic",
              .block_size = "blocksize",
              .indices = "indices"},
     .names = names_0_0_1,
     .name_count = COUNT(names_0_0_1),
     .periodic_wraps = true},
};

/* Returns whether `version` is one of `versions`. "0.9.*" stands for 0.9 and a patch level that begins with a
 * digit ("0.9.1", "0.9.0a1"). */
static bool is_of(const char *versions, const char *version)
{
  const size_t fixed = strcspn(versions, "*");
  if (versions[fixed] == '\0') return strcmp(version, versions) == 0;
  return strncmp(version, versions, fixed) == 0 && isdigit((unsigned char)version[fixed]);
}

const dap_dialect *dap_dialect_find(const char *version)
{
  for (int i = 0; version && i < COUNT(dialects); i++)
    if (is_of(dialects[i].versions, version)) return &dialects[i];
  return NULL;
}

const dap_dist_name *dap_dialect_type(const dap_dialect *dialect, const char *name)
{
  for (int i = 0; i < dialect->name_count; i++) {
    const char *known = dialect->names[i].name;
    if (known && name ? strcmp(known, name) == 0 : known == name) return &dialect->names[i];
  }
  return NULL;
}

static bool says(const dap_dist_name *name, const dap_dim *dim)
{
  const bool has_padding = dim->padding[0] || dim->padding[1];
  const bool has_blocks = dim->dist_type == 'c' && dim->block_size != DAP_ABSENT && dim->block_size != 1;
  return name->has_padding >= has_padding && name->has_block_size >= has_blocks;
}

const dap_dist_name *dap_dialect_name(const dap_dialect *dialect, const dap_dim *dim)
{
  const dap_dist_name *found = NULL;
  for (int i = 0; i < dialect->name_count; i++) {
    const dap_dist_name *name = &dialect->names[i];
    if (name->dist_type == dim->dist_type && (!found || (!says(found, dim) && says(name, dim)))) found = name;
  }
  return found;
}

dap_status dap_dialect_choose(const char version[DAP_VERSION_TEXT], const char *rules,
                              const dap_dialect **dialect, dap_error *err)
{
  DAP_RULE(2, memchr(version, '\0', DAP_VERSION_TEXT), err, DAP_ERR_VERSION,
           "__version__ is not closed with NUL within %d bytes", DAP_VERSION_TEXT);
  *dialect = dap_dialect_find(rules ? rules : version);
  DAP_RULE(2, *dialect || !rules, err, DAP_ERR_VERSION, "rules '%.32s' are not 0.0.1, 0.9.* or 0.10.*",
           rules);
  DAP_RULE(2, *dialect, err, DAP_ERR_VERSION,
           "__version__ '%s' is not 0.0.1, 0.9.* or 0.10.*, and no rules are given to read it by", version);
  return DAP_OK;
}
