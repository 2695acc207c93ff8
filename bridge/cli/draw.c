/* dapbridge draw: prints which process owns which elements, as a table, as an SVG picture, or as JSON. */
#include "check.h"
#include "cli_impl.h"
#include "picture_impl.h"

#include <dapbridge/draw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the plane ---------------------------------------------------------------------------------------- */

/* Reads an index, or ':' as -1. Returns the text behind it; NULL: it is neither. */
static const char *read_index(const char *text, int64_t *index)
{
  char *end;
  *index = -1;
  if (*text == ':') return text + 1;
  if (*text < '0' || *text > '9') return NULL;
  *index = strtoll(text, &end, 10);
  return end;
}

/* Reads the index of the drawn plane along each axis, and -1 along the one or two axes in it. "3,:,:" has the
 * elements (3, i, j). NULL: the first two axes, at index 0 of the others. */
static dap_status read_plane(const char *text, const dap_layout *layout, int64_t plane[DAP_MAX_NDIM],
                             dap_error *err)
{
  const int ndim = dap_layout_ndim(layout);
  int drawn = 0;
  for (int k = 0; k < ndim; k++) plane[k] = k < 2 ? -1 : 0;
  if (!text) return DAP_OK;
  DAP_REQUIRE(ndim > 0, err, DAP_ERR_ARG, "plane: a scalar has none");
  const char *rest = text;
  for (int k = 0; k < ndim; k++) {
    rest = read_index(rest, &plane[k]);
    DAP_REQUIRE(rest && *rest == (k < ndim - 1 ? ',' : '\0'), err, DAP_ERR_ARG,
                "plane: %s is not %d indices or ':', with ',' between them", text, ndim);
    const int64_t size = dap_layout_size(layout, k);
    DAP_REQUIRE(plane[k] < size, err, DAP_ERR_ARG,
                "plane: axis %d: index %" PRId64 " is outside 0 .. %" PRId64, k, plane[k], size - 1);
    drawn += plane[k] < 0;
    rest++;
  }
  DAP_REQUIRE(drawn == 1 || drawn == 2, err, DAP_ERR_ARG, "plane: %d axes are ':', and 1 or 2 can be drawn",
              drawn);
  return DAP_OK;
}

/* ---- as JSON ------------------------------------------------------------------------------------------ */

static json_t *pack_stretch(const void *stretches, int i)
{
  const dap_picture_stretch *s = (const dap_picture_stretch *)stretches + i;
  return json_pack("[II]", (json_int_t)s->begin, (json_int_t)s->end);
}

static json_t *pack_stretches(const dap_picture_list *list)
{
  return cli_json_list(list->count, pack_stretch, list->at);
}

/* Packs an axis of the picture; null: there is none. */
static json_t *pack_axis(const dap_picture_axis *a)
{
  if (a->axis < 0) return json_null();
  json_t *json = json_pack("{si sI sI so so so}", "axis", a->axis, "size", (json_int_t)a->size, "shown",
                           (json_int_t)a->shown, "stretches", pack_stretches(&a->owned), "copied",
                           pack_stretches(&a->copied), "boundary", pack_stretches(&a->boundary));
  return a->every == 0 ? json : cli_json_join(json, json_pack("{si}", "spread", a->every));
}

/* Packs the index of the plane along an axis; null: the axis is drawn. */
static json_t *pack_index(const void *picture, int axis)
{
  const int64_t index = ((const dap_picture *)picture)->plane[axis];
  return index < 0 ? json_null() : json_integer(index);
}

typedef struct row {
  const dap_picture *picture;
  int row;
} row;

static json_t *pack_owner(const void *in_row, int column)
{
  const row *r = in_row;
  return json_integer(dap_picture_rank(r->picture, r->row, column));
}

static json_t *pack_row(const void *picture, int i)
{
  const row r = {picture, i};
  return cli_json_list(r.picture->columns.owned.count, pack_owner, &r);
}

/* Packs the table of owners, by stretches of the axes. NULL: no memory. */
static json_t *pack_picture(const dap_picture *p)
{
  return json_pack("{so so so so so}", "summary", cli_json_string(p->summary), "plane",
                   cli_json_list(dap_layout_ndim(p->layout), pack_index, p), "rows", pack_axis(&p->rows),
                   "columns", pack_axis(&p->columns), "owners",
                   cli_json_list(p->rows.owned.count, pack_row, p));
}

/* ---- drawn -------------------------------------------------------------------------------------------- */

static cli_exit print_table(const cli_case *c, const dap_layout *layout, const int64_t plane[])
{
  const size_t length = dap_layout_draw_plane(layout, plane, NULL, 0);
  char *text = malloc(length + 1);
  if (!text) return cli_no_memory(c);
  (void)dap_layout_draw_plane(layout, plane, text, length + 1);
  printf("%s:\n%s", c->where, text);
  free(text);
  return CLI_FINE;
}

typedef struct page {
  const dap_picture *picture;
  const char *name;
} page;

static void put_page(FILE *to, const void *what)
{
  const page *p = what;
  dap_svg_picture(to, p->picture, p->name);
}

/* Returns the ending of `path` if it names another format of pictures than SVG, else NULL. */
static const char *other_kind(const char *path)
{
  static const char *const kinds[] = {".png", ".pdf", ".jpg", ".jpeg", ".gif", ".eps", ".ps", ".webp"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
    if (!strcasecmp(dot, kinds[i])) return kinds[i];
  return NULL;
}

static cli_exit write_svg(const cli_case *c, const dap_picture *p)
{
  const char *output = c->options->output, *kind = other_kind(output);
  char text[64];
  if (!kind) return cli_write(c->options, put_page, &(page){p, c->where});
  (void)snprintf(text, sizeof text, "pictures are SVG: name it .svg, not %s", kind);
  return cli_complain(c->options, DAP_ERR_ARG, output, text);
}

static cli_exit print_picture(const cli_case *c, const dap_layout *layout, const int64_t plane[])
{
  dap_picture p = {0};
  dap_error err = {0};
  cli_exit result;
  const dap_status s = dap_picture_init(layout, plane, &p, &err);
  if (s)
    result = s == DAP_ERR_NOMEM ? cli_no_memory(c) : cli_complain(c->options, s, c->where, err.text);
  else
    result = c->options->json ? cli_print_result(c, pack_picture(&p)) : write_svg(c, &p);
  dap_picture_release(&p);
  return result;
}

static cli_exit draw(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  const cli_options *options = c->options;
  int64_t plane[DAP_MAX_NDIM];
  dap_error err = {0};
  (void)parts;
  if (read_plane(options->plane, layout, plane, &err))
    return cli_complain(options, DAP_ERR_ARG, c->where, err.text);
  if (options->output && c->number > 0)
    return cli_complain(options, DAP_ERR_ARG, c->where, "not drawn: a picture is of one document");
  return options->output || options->json ? print_picture(c, layout, plane) : print_table(c, layout, plane);
}

cli_exit cli_draw(const cli_options *options)
{
  return cli_walk_whole(options, draw);
}
