/* A verdict on a matrix, as text or as JSON. */
#include "check.h"
#include "cli_impl.h"

#include <inttypes.h>
#include <string.h>

/* ---- as text ---------------------------------------------------------------------------------------- */

static const char *in_words(const char *condition)
{
  if (!condition) return "";
  return *condition == 'C' ? ", if the buffers are in C order" : ", if the buffers are in F order";
}

static void print_moved(const cli_verdict *v)
{
  printf("moved");
  if (v->bytes == INT64_MAX)
    printf(", more than 2^63 - 1 bytes");
  else if (v->bytes >= 0)
    printf(", %" PRId64 " bytes", v->bytes);
  if (v->op) printf(", op '%c'", v->op);
  printf("%s: %s\n",
         v->condition && !strcmp(v->condition, "any") ? ", whatever the buffers" : in_words(v->condition),
         v->why);
}

static void print_verdict(const cli_verdict *v)
{
  printf("  ScaLAPACK%s%s: ", v->routine ? ", " : "", v->routine ? v->routine : "");
  if (v->axes[1] > 0) printf("axes %d and %d, at index 0 of the others, ", v->axes[0], v->axes[1]);
  if (!v->form)
    print_moved(v);
  else
    printf("shared as a %" PRId64 " x %" PRId64 " matrix, op '%c'%s: %s\n", v->form->size[0],
           v->form->size[1], v->op, in_words(v->condition), v->why);
  if (v->speed[0]) printf("    by functions of linalg.h that factorise: %s\n", v->speed);
}

/* ---- as JSON ---------------------------------------------------------------------------------------- */

static json_t *pack_pair(int64_t first, int64_t second)
{
  return json_pack("[II]", (json_int_t)first, (json_int_t)second);
}

static bool add_form(json_t *to, const dap_matrix_form *form)
{
  return json_object_set_new(to, "size", pack_pair(form->size[0], form->size[1])) == 0 &&
         json_object_set_new(to, "block", pack_pair(form->block[0], form->block[1])) == 0 &&
         json_object_set_new(to, "grid", pack_pair(form->procs[0], form->procs[1])) == 0 &&
         json_object_set_new(to, "source", pack_pair(form->source[0], form->source[1])) == 0;
}

static json_t *pack(const cli_verdict *v)
{
  const char op[2] = {v->op, '\0'};
  json_t *json =
      json_pack("{ss so}", "verdict", v->form ? "shared" : "moved", "reason", cli_json_string(v->why));
  bool is_whole = json != NULL;
  if (v->op) is_whole = is_whole && json_object_set_new(json, "op", json_string(op)) == 0;
  if (v->condition)
    is_whole = is_whole && json_object_set_new(json, "if_order", json_string(v->condition)) == 0;
  if (v->bytes >= 0) is_whole = is_whole && json_object_set_new(json, "bytes", json_integer(v->bytes)) == 0;
  if (v->axes[1] > 0)
    is_whole = is_whole && json_object_set_new(json, "axes", pack_pair(v->axes[0], v->axes[1])) == 0;
  if (v->form) is_whole = is_whole && add_form(json, v->form);
  if (v->speed[0])
    is_whole = is_whole && json_object_set_new(json, "factorisations", cli_json_string(v->speed)) == 0;
  if (is_whole) return json;
  json_decref(json);
  return NULL;
}

dap_status cli_say_verdict(const cli_verdict *v, json_t *list, dap_error *err)
{
  if (!list)
    print_verdict(v);
  else
    DAP_REQUIRE(json_array_append_new(list, pack(v)) == 0, err, DAP_ERR_NOMEM, "no memory for a verdict");
  return DAP_OK;
}
