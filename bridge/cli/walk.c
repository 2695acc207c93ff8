/* All documents of all files, each with its place. */
#include "cli_impl.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { WHERE = 512 /* bytes of a place in words; a longer one is cut */ };

/* Where a document is: "arrays.jsonl:3#0 name". */
static void write_where(const char *path, const document_place *place, char where[WHERE])
{
  const char *name =
      json_is_object(place->json) ? json_string_value(json_object_get(place->json, "name")) : NULL;
  char line[32] = "", number[32] = "";
  if (place->line > 0) (void)snprintf(line, sizeof line, ":%d", place->line);
  if (place->number >= 0) (void)snprintf(number, sizeof number, "#%d", place->number);
  (void)snprintf(where, WHERE, "%.300s%s%s%s%.100s", path, line, number, name ? " " : "", name ? name : "");
  for (char *c = where; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = '?'; /* one line each */
}

static cli_exit complain(const char *where, const char *text)
{
  (void)fprintf(stderr, "dapbridge: %s: %s\n", where, text);
  return CLI_UNREADABLE;
}

static cli_exit complain_of(const cli_options *options, dap_status status, const char *where,
                            const char *text)
{
  if (status != DAP_ERR_NOMEM) return complain(where, text);
  cli_complain_memory(options, "dapbridge: ", where, text);
  return CLI_UNREADABLE;
}

static cli_exit visit_place(const cli_options *options, const char *path, const document_place *place,
                            const dap_error *parse_error, cli_exit (*visit)(cli_case *c))
{
  char where[WHERE];
  dap_error err = {0};
  document doc;
  write_where(path, place, where);
  if (!place->json) return complain_of(options, place->status, where, parse_error->text);
  if (document_open(&doc, place->json, options->rules, &err)) return complain(where, err.text);
  cli_case c = {.options = options, .doc = &doc, .where = where, .findings = stdout};
  return visit(&c);
}

static cli_exit worse(cli_exit a, cli_exit b)
{
  return a > b ? a : b;
}

static cli_exit walk_stream(const cli_options *options, const char *path, FILE *stream,
                            cli_exit (*visit)(cli_case *c))
{
  document_file file;
  dap_error err = {0};
  const dap_status s = document_file_init(&file, stream, DOCUMENT_LIMIT, &err);
  if (s) {
    document_file_release(&file);
    return complain_of(options, s, path, err.text);
  }
  cli_exit result = CLI_FINE;
  long count = 0;
  for (document_place place; document_file_next(&file, &place, &err); count++)
    result = worse(result, visit_place(options, path, &place, &err, visit));
  document_file_release(&file);
  return count > 0 ? result : complain(path, "there is no document in it");
}

cli_exit cli_walk(const cli_options *options, cli_exit (*visit)(cli_case *c))
{
  cli_exit result = CLI_FINE;
  for (int i = 0; i < options->count; i++) {
    const char *path = options->files[i];
    if (!strcmp(path, "-")) {
      result = worse(result, walk_stream(options, "(standard input)", stdin, visit));
      continue;
    }
    FILE *stream = fopen(path, "r");
    if (!stream) {
      result = worse(result, complain(path, strerror(errno)));
      continue;
    }
    result = worse(result, walk_stream(options, path, stream, visit));
    (void)fclose(stream);
  }
  return result;
}
