/* dapbridge describe: describes the layout of each document. */
#include "cli_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- as JSON ------------------------------------------------------------------------------------------ */

/* A question for each coordinate of an axis. */
typedef struct question {
  const dap_layout *layout;
  int axis;
  int64_t (*value_at)(const dap_layout *layout, int axis, int coord);
} question;

static json_t *answer(const void *asked, int coord)
{
  const question *q = asked;
  return json_integer(q->value_at(q->layout, q->axis, coord));
}

static json_t *pack_coords(const dap_layout *layout, int axis,
                           int64_t (*value_at)(const dap_layout *layout, int axis, int coord))
{
  return cli_json_list(dap_layout_procs(layout, axis), answer, &(question){layout, axis, value_at});
}

static int64_t halo_low(const dap_layout *layout, int axis, int coord)
{
  int64_t width[2];
  dap_layout_halo(layout, axis, coord, width);
  return width[0];
}

static int64_t halo_high(const dap_layout *layout, int axis, int coord)
{
  int64_t width[2];
  dap_layout_halo(layout, axis, coord, width);
  return width[1];
}

static const char *kind(const dap_axis *a)
{
  if (a->replicated || a->partial) return a->partial ? "partial" : "replicated";
  return a->dist_type == 'b' ? "block" : a->dist_type == 'c' ? "cyclic" : "unstructured";
}

/* Packs members that only some distributions have. */
static json_t *pack_special(const dap_layout *layout, int axis, const dap_axis *a)
{
  if (a->dist_type == 'c')
    return json_pack("{sI si}", "block_size", (json_int_t)a->block_size, "first_owner", a->first_owner);
  if (a->dist_type == 'u') return json_pack("{sb}", "one_to_one", a->one_to_one);
  return json_pack("{sb s[II] so so}", "periodic", a->periodic, "boundary", (json_int_t)a->boundary[0],
                   (json_int_t)a->boundary[1], "halo_low", pack_coords(layout, axis, halo_low), "halo_high",
                   pack_coords(layout, axis, halo_high));
}

static json_t *pack_axis(const void *of, int axis)
{
  const dap_layout *layout = of;
  const dap_axis a = dap_layout_axis(layout, axis);
  json_t *json = json_pack("{ss sI si so so}", "kind", kind(&a), "size", (json_int_t)a.size, "processes",
                           a.procs, "owned", pack_coords(layout, axis, dap_layout_owned), "extent",
                           pack_coords(layout, axis, dap_layout_extent));
  return cli_json_join(json, pack_special(layout, axis, &a));
}

static json_t *size(const void *layout, int axis)
{
  return json_integer(dap_layout_size(layout, axis));
}

static json_t *procs(const void *layout, int axis)
{
  return json_integer(dap_layout_procs(layout, axis));
}

/* Packs the rank at a position of the grid, in row-major order. */
static json_t *rank_at(const void *of, int index)
{
  const dap_layout *layout = of;
  int coords[DAP_MAX_NDIM] = {0};
  for (int k = dap_layout_ndim(layout) - 1; k >= 0; k--) {
    coords[k] = index % dap_layout_procs(layout, k);
    index /= dap_layout_procs(layout, k);
  }
  return json_integer(dap_layout_rank(layout, coords));
}

/* Returns an object with a member for each property of the layout; NULL: no memory. */
static json_t *pack_layout(const dap_layout *layout)
{
  const int ndim = dap_layout_ndim(layout), nprocs = dap_layout_nprocs(layout);
  json_t *json = json_pack("{so so so si so}", "summary", cli_json_text(dap_layout_summary, layout), "shape",
                           cli_json_list(ndim, size, layout), "grid", cli_json_list(ndim, procs, layout),
                           "processes", nprocs, "axes", cli_json_list(ndim, pack_axis, layout));
  if (dap_layout_is_row_major(layout)) return json;
  return cli_json_join(json, json_pack("{so}", "ranks", cli_json_list(nprocs, rank_at, layout)));
}

static json_t *pack_file(const dap_file_info *info)
{
  const char order[] = {(char)info->order, '\0'};
  return json_pack("{ss sb ss sI sb ss}", "dtype", dap_dtype_name(info->dtype), "swapped", info->swapped,
                   "order", order, "offset", (json_int_t)info->offset, "has_layout", info->has_layout, "note",
                   info->note);
}

/* ---- in words ----------------------------------------------------------------------------------------- */

/* Prints the header of a file in one line, and the reason if its layout is not known. */
static void print_file(const dap_file_info *info)
{
  int64_t bytes = dap_dtype_size(info->dtype);
  for (int k = 0; k < info->ndim; k++) {
    printf(k ? " x %" PRId64 : "%" PRId64, info->shape[k]);
    bytes *= info->shape[k];
  }
  printf("%s of %s%s in %c order: %" PRId64 " bytes", info->ndim ? "" : "scalar", dap_dtype_name(info->dtype),
         info->swapped ? " of the other byte order" : "", (char)info->order, bytes);
  if (info->offset >= 0)
    printf(" from byte %" PRId64 " on\n", info->offset);
  else
    printf(", not in one piece\n");
  if (!info->has_layout) printf("%s\n", info->note);
}

static cli_exit print_words(const cli_case *c, const dap_layout *layout)
{
  const bool has_layout = !c->file || c->file->has_layout;
  char *text = has_layout ? cli_text(dap_layout_describe, layout) : NULL;
  if (has_layout && !text) return cli_no_memory(c);
  printf("%s:\n", c->where);
  if (c->file) print_file(c->file);
  if (text) printf("%s", text);
  free(text);
  return CLI_FINE;
}

static cli_exit describe(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  (void)parts;
  if (!c->options->json) return print_words(c, layout);
  json_t *json = pack_layout(layout);
  return cli_print_result(c, c->file ? cli_json_join(json, pack_file(c->file)) : json);
}

cli_exit cli_describe(const cli_options *options)
{
  return cli_walk_whole(options, describe);
}
