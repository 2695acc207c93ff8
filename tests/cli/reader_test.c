/* strdup() is POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "reader_test.h"

json_t *json_from(const char *text)
{
  char *copy = strdup(text);
  dap_error err = {0};
  for (char *c = copy; *c; c++)
    if (*c == '\'') *c = '"';
  json_t *json = document_parse(copy, strlen(copy), &err);
  if (!json) fail_msg("%s: %s", copy, err.text);
  free(copy);
  return json;
}

void read_part(const char *text, dap_array *array)
{
  document doc;
  dap_error err = {0};
  json_t *json = json_from(text);
  if (document_open(&doc, json, NULL, &err) || document_read(&doc, 0, NULL, array, &err))
    fail_msg("%s: %s", text, err.text);
  json_decref(json);
}

static void count_finding(void *context, dap_status status, const dap_error *finding)
{
  long *count = context;
  (void)status;
  (void)finding;
  ++*count;
}

void check_reader_row(const reader_row *row, const char *rules)
{
  long count = 0;
  const document_listener listener = {.tell = count_finding, .context = &count};
  document doc;
  dap_array array;
  dap_error err = {.text = ""};
  json_t *json = json_from(row->text);
  if (document_open(&doc, json, rules, &err)) fail_msg("%s: no document: %s", row->why, err.text);
  const dap_status s = document_read(&doc, 0, &listener, &array, &err);
  if (s != row->want || err.rule != row->rule || count != row->count || !test_contains(err.text, row->parts))
    fail_msg("%s: %s, rule %d, %ld findings: %s", row->why, dap_status_name(s), err.rule, count, err.text);
  dap_array_release(&array);
  assert_int_equal(document_read(&doc, 0, NULL, &array, NULL), s);
  dap_array_release(&array);
  dap_array_release(&array);
  json_decref(json);
}
