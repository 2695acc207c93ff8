/* Tests how the documents of a file are found. forms.session and usage.session test the forms of
 * documents. */

/* fmemopen() is POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "reader_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct file_row {
  const char *why, *text;
  const char *want; /* for each document: line, number if any, '!' if not JSON: "1 2#0 3!" */
} file_row;

static const file_row files[] = {
    {"nothing", "", ""},
    {"blanks", " \n\t\r\n", ""},
    {"one value", "{}\n", "0 "},
    {"without an end of line", "[3]", "0 "},
    {"over lines", "\n{\"a\":\n1}\n\n", "0 "},
    {"two lines", "{}\n{}\n", "1 2 "},
    {"a blank line", "{}\n\n\n{}\n", "1 4 "},
    {"lines that end as in DOS", "{}\r\n{}\r\n", "1 2 "},
    {"two in a line", "{}{} []\n", "1 1 1 "},
    {"one after the other", "{\"a\":\n1}\n[\n]", "1 3 "},
    {"scalars", "1 \"x\" null\n", "1 1 1 "},
    {"not JSON", "{\"a\":\n", "1! "},
    {"a broken line between others", "{}\n{\"a\":\n{}\n", "1 2! 3 "},
    {"a broken value over lines", "[\n {},\n}\n]\n{}\n", "1! 5 "},
    {"what follows a value", "{} x\n{}\n", "1 1! 2 "},
    {"a list of documents", "[{\"ranks\":[]},{},3]", "0#0 0#1 0#2 "},
    {"of dictionaries", "[\n{\"dim_data\":[[{}]]}]", "0#0 "},
    {"a list of exports is one", "[{\"dim_data\":[{}]},{}]", "0 "},
    {"lists in lines", "{}\n[{\"ranks\":1},{}]\n", "1 2#0 2#1 "},
    {"numbers that are none of jansson's", "[1e999]\n[NaN,-Infinity,18446744073709551616]\n", "1 2 "},
    {"words like numbers", "[01]\n", "1! "},
    {"like those of none of jansson's", "[018446744073709551616]\n[-01e999]\n", "1! 2! "},
    {"more such", "[1.]\n[Infinit]\n[.5]\n[1e]\n[-]\n", "1! 2! 3! 4! 5! "},
    {"numbers in strings stay", "[\"1e999 NaN \\\" 1e999\"]\n", "0 "},
    {"a NUL", "[\0]\n", "1! "},
};

static void check_file(const file_row *row, size_t length)
{
  char got[256] = "";
  size_t used = 0;
  document_file file;
  dap_error err = {.text = ""};
  FILE *stream = length ? fmemopen((void *)(uintptr_t)row->text, length, "r") : tmpfile();
  if (document_file_init(&file, stream, DOCUMENT_LIMIT, &err)) fail_msg("%s: %s", row->why, err.text);
  for (document_place place; document_file_next(&file, &place, &err);) {
    char number[16] = "";
    if (place.number >= 0) (void)snprintf(number, sizeof number, "#%d", place.number);
    used +=
        (size_t)snprintf(got + used, sizeof got - used, "%d%s%s ", place.line, number, place.json ? "" : "!");
    if (!place.json && !strstr(err.text, "not JSON")) fail_msg("%s: %s", row->why, err.text);
  }
  if (strcmp(got, row->want) != 0) fail_msg("%s: %s, not %s", row->why, got, row->want);
  document_file_release(&file);
  (void)fclose(stream);
}

static void check_files(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    check_file(&files[i], files[i].text[0] == '[' && files[i].text[1] == '\0' ? 4 : strlen(files[i].text));
}

/* Reads a file that is longer than one read. */
static void check_long(void **state)
{
  (void)state;
  enum { COUNT = 50000 };
  FILE *stream = tmpfile();
  document_file file;
  document_place place;
  int count = 0;
  for (int i = 0; i < COUNT; i++) (void)fprintf(stream, "[%d,1e999]\n", i);
  rewind(stream);
  assert_int_equal(document_file_init(&file, stream, DOCUMENT_LIMIT, NULL), DAP_OK);
  for (; document_file_next(&file, &place, NULL); count++) {
    assert_int_equal(place.line, count + 1);
    assert_int_equal(json_integer_value(json_array_get(place.json, 0)), count);
  }
  assert_int_equal(count, COUNT);
  document_file_release(&file);
  (void)fclose(stream);
}

/* Makes the n-th allocation of jansson fail, for every n. The reader must never report that the text is
 * not JSON, and must not read a document after the failure. */
static long allocations_left;

static void *allocate(size_t bytes)
{
  if (allocations_left-- > 0) return malloc(bytes);
  errno = ENOMEM;
  return NULL;
}

static void check_no_memory(void **state)
{
  (void)state;
  static char text[] = "{\"a\": [1, 2.5, \"text\", {\"b\": null}],\n\"c\":\n[3]}\n{}\n";
  dap_status s = DAP_ERR_NOMEM;
  long count = 0;
  for (; s && count < 1000; count++) {
    FILE *stream = fmemopen(text, strlen(text), "r");
    document_file file;
    document_place place;
    dap_error err = {.text = ""};
    assert_int_equal(document_file_init(&file, stream, DOCUMENT_LIMIT, &err), DAP_OK);
    allocations_left = count;
    json_set_alloc_funcs(allocate, free);
    assert_true(document_file_next(&file, &place, &err));
    json_set_alloc_funcs(malloc, free);
    s = place.json ? DAP_OK : DAP_ERR_NOMEM;
    assert_true(place.line == 1);
    if (s && !strstr(err.text, "no memory")) fail_msg("allocation %ld: %s", count, err.text);
    assert_true(document_file_next(&file, &place, &err) == !s);
    document_file_release(&file);
    (void)fclose(stream);
  }
  assert_true(!s && count > 8);
}

static void check_limit(void **state)
{
  (void)state;
  static char text[] = "[1,2]\n[3]\n";
  for (size_t limit = 0; limit < 20; limit++) {
    FILE *stream = fmemopen(text, strlen(text), "r");
    document_file file;
    dap_error err = {.text = ""};
    const dap_status want = limit < strlen(text) ? DAP_ERR_RANGE : DAP_OK;
    char said[32];
    (void)snprintf(said, sizeof said, "more than %zu bytes", limit);
    assert_int_equal(document_file_init(&file, stream, limit, &err), want);
    assert_true(!want || strstr(err.text, said));
    assert_true(!want || file.length == limit + 1); /* no more is read */
    document_file_release(&file);
    (void)fclose(stream);
  }
}

/* Each line begins a value that is nested deeper than jansson allows. The reader must not try every line
 * to that depth. */
static void check_bad_lines_take_linear_time(void **state)
{
  (void)state;
  enum { LINES = 100000 };
  FILE *stream = tmpfile();
  document_file file;
  document_place place;
  int count = 0;
  for (int i = 0; i < LINES; i++) (void)fputs("[\n", stream);
  rewind(stream);
  assert_int_equal(document_file_init(&file, stream, DOCUMENT_LIMIT, NULL), DAP_OK);
  while (document_file_next(&file, &place, NULL)) count++;
  assert_true(count < LINES / 100);
  document_file_release(&file);
  (void)fclose(stream);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_files),
    cmocka_unit_test(check_long),
    cmocka_unit_test(check_no_memory),
    cmocka_unit_test(check_limit),
    cmocka_unit_test(check_bad_lines_take_linear_time),
};

int main(void)
{
  return cmocka_run_group_tests(tests, NULL, NULL);
}
