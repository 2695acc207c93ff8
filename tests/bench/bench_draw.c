/* Draws redistribute.svg and plan.svg of the objects, one a line, that the benchmarks write with --json. See
 * README.md. */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double draw_at(const draw_scale *scale, double value)
{
  const double part = log(value / scale->low) / log(scale->high / scale->low);
  return scale->start + part * (scale->end - scale->start);
}

double draw_number(const json_t *object, const char *key, double otherwise)
{
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : otherwise;
}

const char *draw_word(const json_t *object, const char *key)
{
  const char *word = json_string_value(json_object_get(object, key));
  return word ? word : "";
}

/* Adds the objects of a file to those of moves, which have a method, or of plans, which have a grid. */
static bool read_file(const char *path, json_t *moves, json_t *plans)
{
  char line[4096];
  int number = 0;
  bool good = true;
  FILE *file = fopen(path, "r");
  if (!file) fprintf(stderr, "bench_draw: cannot read %s\n", path);
  while (file && good && fgets(line, sizeof line, file)) {
    json_error_t error;
    number++;
    if (line[strspn(line, " \t\r\n")] == 0) continue;
    json_t *object = json_loads(line, 0, &error);
    json_t *where = json_object_get(object, "method") ? moves
                    : json_object_get(object, "grid") ? plans
                                                      : NULL;
    good = where != NULL;
    if (!good) fprintf(stderr, "bench_draw: %s:%d: no object of a benchmark\n", path, number);
    if (good) json_array_append(where, object);
    json_decref(object);
  }
  if (file) fclose(file);
  return file && good;
}

static bool draw(const char *folder, const char *name, const json_t *objects,
                 bool (*picture)(const char *path, const json_t *objects))
{
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const bool good = picture(path, objects);
  if (!good) fprintf(stderr, "bench_draw: cannot write %s\n", path);
  return good;
}

int main(int argc, char **argv)
{
  if (argc < 3) {
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fputs("usage: bench_draw FOLDER FILE...\n\nDraws FOLDER/redistribute.svg and FOLDER/plan.svg of the "
          "objects in the "
          "files.\n",
          help ? stdout : stderr);
    return help ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  json_t *moves = json_array(), *plans = json_array();
  bool good = moves && plans;
  for (int i = 2; good && i < argc; i++) good = read_file(argv[i], moves, plans);
  good = good && draw(argv[1], "redistribute.svg", moves, draw_redistribute);
  good = good && draw(argv[1], "plan.svg", plans, draw_plan);
  json_decref(moves);
  json_decref(plans);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
