/* A picture as JSON: the table of owners, by stretches of the axes. */
#include "draw_impl.h"

/* Appends a value, which it takes. False: no memory for it, or it is NULL. */
static bool append(json_t *list, json_t *value)
{
  return json_array_append_new(list, value) == 0;
}

/* The list, or NULL if it is not whole. */
static json_t *if_whole(json_t *list, bool is_whole)
{
  if (is_whole) return list;
  json_decref(list);
  return NULL;
}

/* [begin, end] of each. */
static json_t *pack_stretches(const dap_picture_list *list)
{
  json_t *json = json_array();
  bool is_whole = json != NULL;
  for (int i = 0; is_whole && i < list->count; i++)
    is_whole = append(json, json_pack("[II]", (json_int_t)list->at[i].begin, (json_int_t)list->at[i].end));
  return if_whole(json, is_whole);
}

/* null where there is none. */
static json_t *pack_axis(const dap_picture_axis *a)
{
  if (a->axis < 0) return json_null();
  json_t *json = json_pack("{si sI sI so so so}", "axis", a->axis, "size", (json_int_t)a->size, "shown",
                           (json_int_t)a->shown, "stretches", pack_stretches(&a->owned), "copied",
                           pack_stretches(&a->copied), "boundary", pack_stretches(&a->boundary));
  if (!json || a->every == 0 || json_object_set_new(json, "spread", json_integer(a->every)) == 0) return json;
  json_decref(json);
  return NULL;
}

/* The index along each axis, null along those that are drawn. */
static json_t *pack_plane(const dap_picture *p)
{
  json_t *json = json_array();
  bool is_whole = json != NULL;
  for (int k = 0; is_whole && k < dap_layout_ndim(p->layout); k++)
    is_whole = append(json, p->plane[k] < 0 ? json_null() : json_integer(p->plane[k]));
  return if_whole(json, is_whole);
}

static json_t *pack_row(const dap_picture *p, int row)
{
  json_t *json = json_array();
  bool is_whole = json != NULL;
  for (int j = 0; is_whole && j < p->columns.owned.count; j++)
    is_whole = append(json, json_integer(dap_picture_rank(p, row, j)));
  return if_whole(json, is_whole);
}

static json_t *pack_owners(const dap_picture *p)
{
  json_t *json = json_array();
  bool is_whole = json != NULL;
  for (int i = 0; is_whole && i < p->rows.owned.count; i++) is_whole = append(json, pack_row(p, i));
  return if_whole(json, is_whole);
}

json_t *picture_json(const dap_picture *p)
{
  return json_pack("{so so so so so}", "summary", cli_json_string(p->summary), "plane", pack_plane(p), "rows",
                   pack_axis(&p->rows), "columns", pack_axis(&p->columns), "owners", pack_owners(p));
}
