/* Visits all documents of all files, and layouts in words. */
#define _POSIX_C_SOURCE 200809L /* fileno(); NOLINT(bugprone-reserved-identifier) */
#include "cli_impl.h"

#include <ctype.h>
#include <dapbridge/parse.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  WHERE = 512,           /* bytes of a place in words; a longer one is cut */
  DEVICE_LIMIT = 4 << 20 /* bytes that are read of a device, which may have no end */
};

/* Writes where a document is: "arrays.jsonl:3#0 name". */
static void write_where(const char *path, const document_place *place, char where[WHERE])
{
  const char *name =
      json_is_object(place->json) ? json_string_value(json_object_get(place->json, "name")) : NULL;
  char line[32] = "", number[32] = "";
  if (place->line > 0) (void)snprintf(line, sizeof line, ":%d", place->line);
  if (place->number >= 0) (void)snprintf(number, sizeof number, "#%d", place->number);
  (void)snprintf(where, WHERE, "%.300s%s%s%s%.100s", path, line, number, name ? " " : "", name ? name : "");
  for (char *c = where; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = '?'; /* so that a place is one line */
}

/* The state of a walk. */
typedef struct walker {
  const cli_options *options;
  void *context;
  cli_exit (*visit)(cli_case *c);
  long number; /* of the next document */
} walker;

static cli_exit visit(walker *w, const document *doc, const dap_layout *layout, const dap_file_info *file,
                      const char *where)
{
  cli_case c = {.options = w->options,
                .doc = doc,
                .layout = layout,
                .file = file,
                .where = where,
                .context = w->context,
                .number = w->number++,
                .findings = stdout};
  return w->visit(&c);
}

static cli_exit visit_place(walker *w, const char *path, const document_place *place,
                            const dap_error *parse_error)
{
  char where[WHERE];
  dap_error err = {0};
  document doc;
  write_where(path, place, where);
  if (!place->json) return cli_complain(w->options, place->status, where, parse_error->text);
  if (document_open(&doc, place->json, w->options->rules, &err))
    return cli_complain(w->options, DAP_ERR_ARG, where, err.text);
  return visit(w, &doc, NULL, NULL, where);
}

static cli_exit worse(cli_exit a, cli_exit b)
{
  return a > b ? a : b;
}

/* Returns whether a stream is a device, such as a terminal. A pipe is not one. */
static bool is_device(FILE *stream)
{
  struct stat found;
  return fstat(fileno(stream), &found) == 0 && S_ISCHR(found.st_mode);
}

static cli_exit walk_stream(walker *w, const char *path, FILE *stream)
{
  document_file file;
  dap_error err = {0};
  const size_t limit = is_device(stream) ? DEVICE_LIMIT : DOCUMENT_LIMIT;
  const dap_status s = document_file_init(&file, stream, limit, &err);
  if (s) {
    document_file_release(&file);
    if (s == DAP_ERR_RANGE && limit == DEVICE_LIMIT)
      return cli_complain(w->options, s, path,
                          "more than 4 MiB from a device: documents are read from files and pipes");
    return cli_complain(w->options, s, path, err.text);
  }
  cli_exit result = CLI_FINE;
  long count = 0;
  for (document_place place; document_file_next(&file, &place, &err); count++)
    result = worse(result, visit_place(w, path, &place, &err));
  document_file_release(&file);
  return count > 0 ? result : cli_complain(w->options, DAP_ERR_ARG, path, "the file has no document");
}

/* Visits an argument that is not a file, which may be a layout in words. If it has characters that are rare
 * in names of files, the error is about words. */
static cli_exit walk_words(walker *w, const char *words, const char *no_file)
{
  const document none = {0};
  dap_layout *layout = NULL;
  dap_error err = {0};
  const dap_status s = dap_layout_parse(words, &layout, &err);
  if (s) return cli_complain(w->options, s, words, strpbrk(words, " :,") ? err.text : no_file);
  const cli_exit result = visit(w, &none, layout, NULL, words);
  dap_layout_destroy(&layout);
  return result;
}

/* Visits the layout that is stored with the array of a file. */
static cli_exit walk_file(walker *w, const char *path)
{
  const document none = {0};
  dap_file_info info;
  dap_layout *layout;
  dap_error err = {0};
  char where[WHERE];
  const size_t length = strlen(path); /* the text of an error begins with it */
  write_where(path, &(document_place){.number = -1}, where);
  const dap_status s = cli_read_file(path, &info, &layout, &err);
  if (s)
    return cli_complain(w->options, s, where,
                        strncmp(err.text, path, length) ? err.text : err.text + length + 2);
  const cli_exit result = visit(w, &none, layout, &info, where);
  dap_layout_destroy(&layout);
  return result;
}

/* Returns whether an argument is not a file: there is none of that name, or its folder may not be
 * searched. */
static bool may_be_words(const char *argument, int code)
{
  return code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG ||
         (code == EACCES && access(argument, F_OK) != 0);
}

static cli_exit walk(walker *w, const char *argument)
{
  if (!strcmp(argument, "-")) return walk_stream(w, "(standard input)", stdin);
  if (cli_is_file(argument)) return walk_file(w, argument);
  FILE *stream = fopen(argument, "r");
  const int code = errno;
  if (!stream && may_be_words(argument, code)) return walk_words(w, argument, strerror(code));
  if (!stream) return cli_complain(w->options, DAP_ERR_ARG, argument, strerror(code));
  const cli_exit result = walk_stream(w, argument, stream);
  (void)fclose(stream);
  return result;
}

cli_exit cli_walk(const cli_options *options, void *context, cli_exit (*visit_one)(cli_case *c))
{
  walker w = {.options = options, .context = context, .visit = visit_one};
  cli_exit result = CLI_FINE;
  for (int i = 0; i < options->count; i++) result = worse(result, walk(&w, options->files[i]));
  return result;
}
