/* Copies nests of loops: as rows, transpositions, strided lines, or single elements. */
#include "kernel_sets.h"

/* Lines of the source that panels read at a time, and their length in elements. More lines evict each other
 * where leading dimensions are powers of two. Longer ones touch more pages than the processor's tables
 * hold. */
enum { PANEL_ITEMS = 8, PANEL_CHANGED = 16, PANEL_COLUMNS = 1024 };

/* A nest, and the function that copies its `inner` loops, two or three. */
typedef struct job {
  dap_nest nest;
  int inner;
  const dap_moves *moves;
  const dap_transform *transform; /* NULL: elements are copied as they are */
  bool stream;
  void (*copy)(const struct job *job, const dap_block *block);
} job;

static void copy_items(const job *j, const dap_block *block)
{
  if (j->transform)
    dap_block_transform(j->transform, block);
  else
    dap_items_copy(block);
}

/* Copies by panels where the source runs along the outer loop, so that each of its lines is read once. */
static void copy_panels(const job *j, const dap_block *block)
{
  const int64_t items = j->transform ? PANEL_CHANGED : PANEL_ITEMS;
  dap_block panel = *block;
  for (int64_t o = 0; o < block->out.count; o += PANEL_COLUMNS)
    for (int64_t i = 0; i < block->in.count; i += items) {
      panel.out.count = dap_smaller(PANEL_COLUMNS, block->out.count - o);
      panel.in.count = dap_smaller(items, block->in.count - i);
      panel.from = block->from + o * block->out.from + i * block->in.from;
      panel.to = block->to + o * block->out.to + i * block->in.to;
      copy_items(j, &panel);
    }
}

static void copy_rows(const job *j, const dap_block *block)
{
  dap_block rows = *block;
  for (int64_t i = 0; i < block->out.count; i++) {
    rows.from = block->from + i * block->out.from;
    rows.to = block->to + i * block->out.to;
    if (i + 1 == block->out.count) rows.out = (dap_loop){.count = 1};
    j->moves->stream_rows(&rows);
  }
}

static void copy_transposed(const job *j, const dap_block *block)
{
  static const dap_loop once = {.count = 1};
  dap_block_transpose(j->moves, block, j->inner > 2 ? &j->nest.loops[2] : &once, j->stream);
}

/* Puts whole lines together from strided elements, and copies the rest one by one. */
static void gather_row(const job *j, const char *from, char *to, const dap_block *block)
{
  const int64_t bytes = block->bytes, step = block->in.from, n = block->in.count, per_line = DAP_LINE / bytes;
  const bool stream = j->stream && dap_bytes_to_line(to) % bytes == 0;
  const int64_t head = stream ? dap_smaller(dap_bytes_to_line(to) / bytes, n) : 0;
  const int64_t lines = (n - head) / per_line, tail = head + lines * per_line;
  dap_block rest = {from, to, bytes, {head, step, bytes}, {.count = 1}};
  dap_items_copy(&rest);
  if (lines > 0)
    j->moves->gather[dap_width_of(bytes)](to + head * bytes, from + head * step, step, lines, stream);
  rest = (dap_block){from + tail * step, to + tail * bytes, bytes, {n - tail, step, bytes}, {.count = 1}};
  dap_items_copy(&rest);
}

static void copy_gathered(const job *j, const dap_block *block)
{
  for (int64_t i = 0; i < block->out.count; i++)
    gather_row(j, block->from + i * block->out.from, block->to + i * block->out.to, block);
}

/* Returns the loop along which the source's steps are shortest. */
static int find_fastest(const dap_nest *nest)
{
  int fastest = 0;
  for (int i = 1; i < nest->depth; i++)
    if (dap_magnitude(nest->loops[i].from) < dap_magnitude(nest->loops[fastest].from)) fastest = i;
  return fastest;
}

/* Makes loop `from` number `to`, which is further in. */
static void bring(dap_nest *nest, int from, int to)
{
  const dap_loop loop = nest->loops[from];
  for (int i = from; i > to; i--) nest->loops[i] = nest->loops[i - 1];
  nest->loops[to] = loop;
}

/* Whether the third loop continues the first one in the destination. */
static bool is_joined(const dap_nest *nest)
{
  return nest->depth > 2 && nest->loops[2].to == nest->loops[0].count * nest->bytes;
}

static void choose(job *j)
{
  dap_nest *nest = &j->nest;
  const dap_moves *moves = j->moves;
  const int width = moves ? dap_width_of(nest->bytes) : DAP_WIDTH_COUNT, fastest = find_fastest(nest);
  const bool makes_lines = width < DAP_WIDTH_COUNT && nest->depth > 0 && nest->loops[0].to == nest->bytes;
  j->copy = fastest > 0 ? copy_panels : copy_items;
  if (moves && moves->stream_rows && j->stream && nest->bytes >= 2 * DAP_LINE) {
    j->copy = copy_rows;
  } else if (fastest > 0) {
    bring(nest, fastest, 1);
    if (makes_lines && moves->transpose[width] && nest->loops[1].from == nest->bytes)
      j->copy = copy_transposed;
    if (j->copy == copy_transposed && j->stream && is_joined(nest)) j->inner = 3;
  } else if (makes_lines && moves->gather[width] && nest->loops[0].count * nest->bytes > 2 * DAP_LINE) {
    j->copy = copy_gathered;
  }
  while (nest->depth < 2) dap_nest_add(nest, 1, 0, 0);
}

static void run(const job *j, int depth, const char *from, char *to)
{
  const dap_loop *loops = j->nest.loops, *outer = &loops[depth - 1];
  if (depth == j->inner)
    j->copy(j, &(const dap_block){from, to, j->nest.bytes, loops[0], loops[1]});
  else
    for (int64_t i = 0; i < outer->count; i++) run(j, depth - 1, from + i * outer->from, to + i * outer->to);
}

static void copy_all(job *j, const dap_nest *nest, const char *from, char *to)
{
  j->inner = 2;
  j->nest.bytes = nest->bytes;
  j->nest.depth = nest->depth;
  for (int i = 0; i < nest->depth; i++) j->nest.loops[i] = nest->loops[i];
  choose(j);
  run(j, j->nest.depth, from + nest->from, to + nest->to);
}

void dap_nest_copy(const dap_kernels *set, const dap_nest *nest, const char *from, char *to, bool stream)
{
  job j;
  j.moves = set->moves;
  j.transform = NULL;
  j.stream = stream;
  copy_all(&j, nest, from, to);
}

void dap_nest_transform(const dap_transform *transform, const dap_nest *nest, const char *from, char *to)
{
  job j;
  j.moves = NULL;
  j.transform = transform;
  j.stream = false;
  copy_all(&j, nest, from, to);
}
