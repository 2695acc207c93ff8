/* Counts the bytes that a move sends between each two processes, and sums up the plans of single
 * processes. */
#include "check.h"
#include "traffic_impl.h"

#include <stdio.h>
#include <stdlib.h>

int64_t traffic_bytes(const traffic *t, int p, int q)
{
  return t->bytes[(int64_t)p * t->columns + q];
}

bool traffic_on_node(const traffic *t, int p, int q)
{
  return p / t->node == q / t->node;
}

/* ---- pairs ---------------------------------------------------------------------------------------- */

static void count(traffic *t, int p, int q)
{
  const int64_t bytes = traffic_bytes(t, p, q);
  if (p == q) {
    t->kept += bytes;
    return;
  }
  if (traffic_on_node(t, p, q))
    t->on_node += bytes;
  else
    t->between += bytes;
  t->pairs += bytes > 0;
  if (bytes <= t->most) return;
  t->most = bytes;
  t->largest[0] = p;
  t->largest[1] = q;
}

static dap_status count_pairs(traffic *t, dap_error *err)
{
  const int64_t pairs = (int64_t)t->rows * t->columns, item = dap_dtype_size(t->type);
  DAP_REQUIRE(pairs <= TRAFFIC_PAIRS, err, DAP_ERR_RANGE,
              "%d x %d processes are too many for a communication matrix", t->rows, t->columns);
  t->bytes = malloc((size_t)pairs * sizeof *t->bytes);
  DAP_REQUIRE(t->bytes, err, DAP_ERR_NOMEM, "no memory for a communication matrix");
  DAP_TRY(dap_plan_volumes(t->from, t->to, t->bytes, err));
  int64_t room = INT64_MAX / item;
  for (int64_t i = 0; i < pairs; i++) {
    DAP_REQUIRE(t->bytes[i] <= room, err, DAP_ERR_RANGE, "more than 2^63 - 1 bytes are moved");
    room -= t->bytes[i];
    t->bytes[i] *= item;
  }
  for (int p = 0; p < t->rows; p++)
    for (int q = 0; q < t->columns; q++) count(t, p, q);
  return DAP_OK;
}

/* ---- plans ---------------------------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Previews the plans of all processes, or of some that are spread over all of them. */
static dap_status preview_processes(traffic *t, dap_error *err)
{
  const dap_side from = {.layout = t->from, .contiguous = true, .dtype = t->type};
  const dap_side to = {.layout = t->to, .contiguous = true, .dtype = t->type};
  t->asked = t->nprocs < TRAFFIC_ASKED ? t->nprocs : TRAFFIC_ASKED;
  for (int i = 0; i < t->asked; i++) {
    const int rank = (int)((int64_t)i * t->nprocs / t->asked);
    dap_plan_stats stats;
    DAP_TRY(dap_plan_preview(t->nprocs, rank, &from, &to, 0, NULL, &stats, err));
    t->messages += stats.messages_sent;
    t->busiest = larger(t->busiest, stats.messages_sent);
    t->buffer = larger(t->buffer, stats.bytes_buffer);
    t->plan = larger(t->plan, stats.bytes_plan);
    t->phases = larger(t->phases, stats.phases);
  }
  return DAP_OK;
}

/* A process sends another one message, or several if it would exceed TRAFFIC_CHUNK. In two phases, a message
 * also has elements for other processes. */
int64_t traffic_message(const traffic *t)
{
  if (t->phases > 1) return -1;
  return t->most < TRAFFIC_CHUNK ? t->most : TRAFFIC_CHUNK;
}

dap_status traffic_init(const dap_layout *from, const dap_layout *to, dap_dtype type, long node, traffic *t,
                        dap_error *err)
{
  const int rows = dap_layout_nprocs(from), columns = dap_layout_nprocs(to);
  *t = (traffic){.from = from,
                 .to = to,
                 .rows = rows,
                 .columns = columns,
                 .nprocs = rows > columns ? rows : columns,
                 .type = type,
                 .node = node};
  DAP_TRY(count_pairs(t, err));
  return preview_processes(t, err);
}

void traffic_release(traffic *t)
{
  free(t->bytes);
  *t = (traffic){0};
}

traffic_text traffic_in_units(int64_t bytes)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  traffic_text t;
  double value = (double)bytes;
  int unit = 0;
  for (; value >= 999.5 && unit < 6; unit++) value /= 1000;
  (void)snprintf(t.text, sizeof t.text, unit > 0 && value < 99.95 ? "%.1f %s" : "%.0f %s", value,
                 units[unit]);
  return t;
}
