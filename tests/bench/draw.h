/* The pictures that bench_draw makes of the benchmarks' objects. */
#ifndef DAP_BENCH_DRAW_H
#define DAP_BENCH_DRAW_H

#include <jansson.h>
#include <stdbool.h>

/* An axis with logarithmic steps, from `low` at `start` to `high` at `end` of the picture. */
typedef struct draw_scale {
  double low, high;
  double start, end;
} draw_scale;

double draw_at(const draw_scale *scale, double value);

/* Number of an object's key, or `otherwise`; its text, or "". */
double draw_number(const json_t *object, const char *key, double otherwise);
const char *draw_word(const json_t *object, const char *key);

/* Bars of time / limit by case and method, of the objects of bench_redistribute, with the first object's ranks and the
 * largest n; the small cases in microseconds. True if there was nothing to draw, or it was written. */
bool draw_redistribute(const char *path, const json_t *objects);

/* Planning time and memory over the number of processes, of the objects of bench_plan. Likewise. */
bool draw_plan(const char *path, const json_t *objects);

#endif
