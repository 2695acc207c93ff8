/* The documents of a file: values one after the other, such as one in each line. A value may be a list of
 * documents. */
#include "document_impl.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 };

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip(document_file *file, size_t count)
{
  for (; count > 0; count--) file->line += file->text[file->at++] == '\n';
}

/* Goes to the next character that is not blank; false at the end. */
static bool skip_blanks(document_file *file)
{
  while (file->at < file->length && is_blank(file->text[file->at])) skip(file, 1);
  return file->at < file->length;
}

/* Goes to the next line that begins with a bracket: where a value begins after one that is not JSON, unless
 * its lines are not indented. */
static void skip_value(document_file *file)
{
  while (file->at < file->length) {
    const char *end = memchr(file->text + file->at, '\n', file->length - file->at);
    skip(file, end ? (size_t)(end + 1 - (file->text + file->at)) : file->length - file->at);
    if (file->at < file->length && strchr("{[", file->text[file->at])) return;
  }
}

/* ---- a file --------------------------------------------------------------------------------------- */

static bool grow(document_file *file, size_t *room)
{
  if (*room > SIZE_MAX / 2) return false;
  char *text = realloc(file->text, 2 * *room);
  if (!text) return false;
  file->text = text;
  *room *= 2;
  return true;
}

/* The text with all numbers as document_parse() needs them. */
static dap_status quote(document_file *file, dap_error *err)
{
  size_t length = 0;
  char *quoted = document_quote_numbers(file->text, file->length, &length);
  DAP_REQUIRE(quoted, err, DAP_ERR_NOMEM, "no memory for its text");
  free(file->text);
  file->text = quoted;
  file->length = length;
  return DAP_OK;
}

dap_status document_file_init(document_file *file, FILE *stream, dap_error *err)
{
  size_t room = FIRST_ROOM;
  *file = (document_file){.line = 1, .text = malloc(room)};
  bool has_room = file->text != NULL;
  errno = 0;
  while (has_room) {
    const size_t count = fread(file->text + file->length, 1, room - file->length, stream);
    file->length += count;
    if (count == 0) break;
    if (file->length == room) has_room = grow(file, &room);
  }
  DAP_REQUIRE(has_room, err, DAP_ERR_NOMEM, "no memory for its text");
  DAP_REQUIRE(!ferror(stream), err, DAP_ERR_LIBRARY, "cannot be read: %s", strerror(errno));
  return quote(file, err);
}

/* Parses the value that begins here. */
static void next_value(document_file *file, dap_error *err)
{
  size_t count = 0;
  int line = 1;
  dap_error error = {0};
  const bool is_first = file->begin == 0;
  file->begin = file->line;
  file->json = document_load(file->text + file->at, file->length - file->at, &count, &line, &error);
  if (file->json) {
    skip(file, count);
    file->is_only = is_first && !skip_blanks(file);
  } else {
    (void)dap_fail(err, DAP_ERR_ARG, "%s (line %d)", error.text, file->begin + line - 1);
    file->is_only = false;
    skip_value(file);
  }
}

/* Whether the value is a list of whole documents: then the first element is one. */
static bool is_list(const json_t *json)
{
  return json_is_array(json) && document_is_whole(json_array_get(json, 0));
}

bool document_file_next(document_file *file, document_place *place, dap_error *err)
{
  *place = (document_place){.number = -1};
  if (is_list(file->json) && file->index + 1 < json_array_size(file->json)) {
    file->index++;
  } else {
    json_decref(file->json);
    file->json = NULL;
    file->index = 0;
    if (!skip_blanks(file)) return false;
    next_value(file, err);
  }
  const bool listed = is_list(file->json);
  place->json = listed ? json_array_get(file->json, file->index) : file->json;
  place->line = file->is_only ? 0 : file->begin;
  if (listed) place->number = (int)file->index;
  return true;
}

void document_file_release(document_file *file)
{
  json_decref(file->json);
  free(file->text);
  *file = (document_file){0};
}
