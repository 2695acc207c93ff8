/* Writes a picture as JSON: the table of owners, by stretches of the axes. */
#include "draw_impl.h"

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

json_t *picture_json(const dap_picture *p)
{
  return json_pack("{so so so so so}", "summary", cli_json_string(p->summary), "plane",
                   cli_json_list(dap_layout_ndim(p->layout), pack_index, p), "rows", pack_axis(&p->rows),
                   "columns", pack_axis(&p->columns), "owners",
                   cli_json_list(p->rows.owned.count, pack_row, p));
}
