/* Prints a verdict on a matrix, as text or as JSON. */
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

static void print_text(const cli_verdict *v)
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

static json_t *pack_form(const dap_matrix_form *f)
{
  return json_pack("{s[II] s[II] s[ii] s[ii]}", "size", (json_int_t)f->size[0], (json_int_t)f->size[1],
                   "block", (json_int_t)f->block[0], (json_int_t)f->block[1], "grid", (int)f->procs[0],
                   (int)f->procs[1], "source", (int)f->source[0], (int)f->source[1]);
}

static json_t *pack(const cli_verdict *v)
{
  const char op[2] = {v->op, '\0'};
  json_t *json =
      json_pack("{ss so}", "verdict", v->form ? "shared" : "moved", "reason", cli_json_string(v->why));
  if (v->op) json = cli_json_join(json, json_pack("{ss}", "op", op));
  if (v->condition) json = cli_json_join(json, json_pack("{ss}", "if_order", v->condition));
  if (v->bytes >= 0) json = cli_json_join(json, json_pack("{sI}", "bytes", (json_int_t)v->bytes));
  if (v->axes[1] > 0) json = cli_json_join(json, json_pack("{s[ii]}", "axes", v->axes[0], v->axes[1]));
  if (v->form) json = cli_json_join(json, pack_form(v->form));
  if (v->speed[0]) json = cli_json_join(json, json_pack("{so}", "factorisations", cli_json_string(v->speed)));
  return json;
}

dap_status cli_print_verdict(const cli_verdict *v, json_t *list, dap_error *err)
{
  if (!list)
    print_text(v);
  else
    DAP_REQUIRE(json_array_append_new(list, pack(v)) == 0, err, DAP_ERR_NOMEM, "no memory for a verdict");
  return DAP_OK;
}
