/* All documents of all files, each with its place; and layouts in words. */
#include "cli_impl.h"

#include <ctype.h>
#include <dapbridge/parse.h>
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
                            const dap_error *parse_error, long *number, cli_exit (*visit)(cli_case *c))
{
  char where[WHERE];
  dap_error err = {0};
  document doc;
  write_where(path, place, where);
  if (!place->json) return complain_of(options, place->status, where, parse_error->text);
  if (document_open(&doc, place->json, options->rules, &err)) return complain(where, err.text);
  cli_case c = {.options = options, .doc = &doc, .where = where, .number = (*number)++, .findings = stdout};
  return visit(&c);
}

static cli_exit worse(cli_exit a, cli_exit b)
{
  return a > b ? a : b;
}

static cli_exit walk_stream(const cli_options *options, const char *path, FILE *stream, long *number,
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
    result = worse(result, visit_place(options, path, &place, &err, number, visit));
  document_file_release(&file);
  return count > 0 ? result : complain(path, "there is no document in it");
}

/* ---- layouts in words ----------------------------------------------------------------------------- */

static cli_exit visit_words(const cli_options *options, const char *words, const dap_layout *layout, long *number,
                            cli_exit (*visit)(cli_case *c))
{
  const document none = {0};
  cli_case c = {.options = options, .doc = &none, .layout = layout, .where = words, .number = (*number)++,
                .findings = stdout};
  return visit(&c);
}

/* What is no file may be words; and is meant to be, if there is in it what names of files seldom have. */
static cli_exit walk_words(const cli_options *options, const char *words, const char *no_file, long *number,
                           cli_exit (*visit)(cli_case *c))
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  const dap_status s = dap_layout_parse(words, &layout, &err);
  if (s) return complain_of(options, s, words, strpbrk(words, " :,") ? err.text : no_file);
  const cli_exit result = visit_words(options, words, layout, number, visit);
  dap_layout_destroy(&layout);
  return result;
}

/* ---- all of them ----------------------------------------------------------------------------------- */

static cli_exit walk_argument(const cli_options *options, const char *argument, long *number,
                              cli_exit (*visit)(cli_case *c))
{
  if (!strcmp(argument, "-")) return walk_stream(options, "(standard input)", stdin, number, visit);
  FILE *stream = fopen(argument, "r");
  if (!stream) return walk_words(options, argument, strerror(errno), number, visit);
  const cli_exit result = walk_stream(options, argument, stream, number, visit);
  (void)fclose(stream);
  return result;
}

cli_exit cli_walk(const cli_options *options, cli_exit (*visit)(cli_case *c))
{
  cli_exit result = CLI_FINE;
  long number = 0;
  for (int i = 0; i < options->count; i++)
    result = worse(result, walk_argument(options, options->files[i], &number, visit));
  return result;
}
