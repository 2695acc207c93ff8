/* Reads the documents of a file: values one after the other, such as one in each line. A value may be a list
 * of documents. */
#include "document_impl.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST_ROOM = 1 << 16, /* bytes */
  MOST_TRIES = 8        /* lengths of the file that may be read in vain */
};

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip(document_file *file, size_t count)
{
  for (; count > 0; count--) file->line += file->text[file->at++] == '\n';
}

/* Goes to the next character that is not blank. Returns false at the end. */
static bool skip_blanks(document_file *file)
{
  while (file->at < file->length && is_blank(file->text[file->at])) skip(file, 1);
  return file->at < file->length;
}

/* Goes to the next line that begins with a bracket. The value behind one that is not JSON begins there, if
 * lines within values are indented. */
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

/* Reads the stream, at most one byte more than the limit, and appends NUL. */
static dap_status read_all(document_file *file, FILE *stream, size_t limit, dap_error *err)
{
  size_t room = FIRST_ROOM, count = 1;
  file->text = malloc(room);
  bool has_room = file->text != NULL;
  errno = 0;
  while (has_room && count > 0 && file->length <= limit) {
    const size_t unused = room - 1 - file->length, left = limit + 1 - file->length;
    count = fread(file->text + file->length, 1, unused < left ? unused : left, stream);
    file->length += count;
    if (file->length + 1 == room) has_room = grow(file, &room);
  }
  DAP_REQUIRE(has_room, err, DAP_ERR_NOMEM, "no memory for its text of more than %zu bytes", file->length);
  DAP_REQUIRE(!ferror(stream), err, DAP_ERR_LIBRARY, "cannot be read: %s", strerror(errno));
  DAP_REQUIRE(file->length <= limit, err, DAP_ERR_RANGE,
              "more than %zu bytes, the most that can be read of a file", limit);
  file->text[file->length] = '\0';
  return DAP_OK;
}

dap_status document_file_init(document_file *file, FILE *stream, size_t limit, dap_error *err)
{
  *file = (document_file){.line = 1};
  DAP_TRY(read_all(file, stream, limit, err));
  return document_prepare(&file->text, &file->length, err);
}

/* Goes on behind a value of `count` bytes that is not JSON. Its lines are tried again, because one of them
 * may be the next value, but not so often that the time grows faster than the file. */
static void pass_value(document_file *file, size_t count)
{
  file->tried += count;
  const size_t left = file->length - file->at;
  if (file->tried / MOST_TRIES > file->length) skip(file, count < left ? count : left);
  skip_value(file);
}

/* Parses the value that begins here. */
static dap_status next_value(document_file *file, dap_error *err)
{
  size_t count = 0;
  int line = 1;
  dap_error error = {0};
  const bool is_first = file->begin == 0;
  file->begin = file->line;
  const dap_status s = document_load(file->text + file->at, file->length - file->at, false, &file->json,
                                     &count, &line, &error);
  file->is_only = false;
  if (s == DAP_OK) {
    skip(file, count);
    file->is_only = is_first && !skip_blanks(file);
  } else if (s == DAP_ERR_NOMEM) {
    (void)dap_fail(err, s, "%s", error.text);
    file->at = file->length; /* the end of the value is not known */
  } else {
    (void)dap_fail(err, s, "%s (line %d)", error.text, file->begin + line - 1);
    pass_value(file, count);
  }
  return s;
}

/* Returns whether the value is a list of whole documents, by its first element. */
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
    place->status = next_value(file, err);
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
