#include "fail.h"
#include "many.h"

#include <stdlib.h>
#include <string.h>

/* ---- layouts and buffers ---------------------------------------------------------------------------- */

static void make_layouts(many_case *c)
{
  int dims[2] = {0, 0};
  dap_error err;
  MPI_Dims_create(c->nprocs, 2, dims);
  const dap_dist blocks[] = {dap_dist_padded(c->n, dims[0], 1), dap_dist_padded(c->n, dims[1], 1)};
  const dap_dist rows[] = {dap_dist_even(c->n, c->nprocs), dap_dist_local(c->n)};
  const dap_dist columns[] = {dap_dist_local(c->n), dap_dist_even(c->n, c->nprocs)};
  bench_require(dap_layout_create(2, c->is_halo ? blocks : rows, &c->from_layout, &err), &err);
  bench_require(dap_layout_create(2, c->is_halo ? blocks : columns, &c->to_layout, &err), &err);
}

static void make_array(const many_case *c, const dap_layout *layout, bool is_shared, dap_array *array)
{
  dap_error err;
  bench_require(is_shared ? dap_array_alloc(c->comm, layout, DAP_F8, DAP_ORDER_C, array, NULL, &err)
                          : dap_array_init(array, layout, c->rank, DAP_F8, DAP_ORDER_C, NULL, &err),
                &err);
}

static void set_start(const dap_layout *layout, int rank, int64_t start[2])
{
  const int64_t corner[2] = {0, 0};
  dap_error err;
  bench_require(dap_layout_globalize(layout, rank, corner, start, NULL, &err), &err);
}

static void make_arrays(many_case *c, bool is_shared)
{
  for (int f = 0; f < c->fields; f++) {
    make_array(c, c->from_layout, is_shared, &c->from[f]);
    if (c->is_halo)
      c->to[f] = c->from[f];
    else
      make_array(c, c->to_layout, is_shared, &c->to[f]);
    c->sources[f] = c->from[f].data;
    c->destinations[f] = c->to[f].data;
  }
  set_start(c->from_layout, c->rank, c->from_start);
  set_start(c->to_layout, c->rank, c->to_start);
}

static void make_plans(many_case *c)
{
  const dap_side from = dap_side_of((dap_darray){c->from_layout, &c->from[0]}),
                 to = dap_side_of((dap_darray){c->to_layout, &c->to[0]});
  dap_error err;
  for (int i = -1; i < c->fields; i++) {
    const dap_plan_options o = {.arrays = i < 0 ? c->fields : 1};
    dap_plan **plan = i < 0 ? &c->together : &c->single[i];
    bench_require(c->is_halo ? dap_plan_create_halo(c->comm, &from, 0, &o, plan, &err)
                             : dap_plan_create(c->comm, &from, &to, 0, &o, plan, &err),
                  &err);
  }
}

/* Returns the distance of rows in doubles. The library's arrays have gaps between rows. */
static int64_t row_of(const dap_array *a)
{
  return a->strides[0] / (int64_t)sizeof(double);
}

/* ---- by hand ---------------------------------------------------------------------------------------- */

static int64_t count(const many_box *b)
{
  return (b->rows[1] - b->rows[0]) * (b->columns[1] - b->columns[0]);
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Returns the ranges of rows and columns that a process owns, or with `all` holds. */
static many_box indices_of(const dap_layout *layout, int rank, bool all)
{
  int coords[2];
  many_box box;
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < 2; k++) {
    int64_t pad[2], *range = k == 0 ? box.rows : box.columns;
    int64_t start[2];
    set_start(layout, rank, start);
    dap_layout_halo(layout, k, coords[k], pad);
    range[0] = start[k] + (all ? 0 : pad[0]);
    range[1] = start[k] + dap_layout_extent(layout, k, coords[k]) - (all ? 0 : pad[1]);
  }
  return box;
}

/* Returns the common part of both boxes, as positions from `start` on. */
static many_box meet(const many_box *a, const many_box *b, const int64_t start[2])
{
  const many_box box = {
      {larger(a->rows[0], b->rows[0]) - start[0], smaller(a->rows[1], b->rows[1]) - start[0]},
      {larger(a->columns[0], b->columns[0]) - start[1], smaller(a->columns[1], b->columns[1]) - start[1]}};
  return box.rows[0] < box.rows[1] && box.columns[0] < box.columns[1] ? box : (many_box){{0, 0}, {0, 0}};
}

/* Links owners to all processes that hold an element. A halo update skips owned elements. */
static void make_links(many_case *c)
{
  const many_box owned = indices_of(c->from_layout, c->rank, false);
  const many_box held = indices_of(c->to_layout, c->rank, true);
  int64_t sent = 0, received = 0;
  for (int r = 0; r < c->nprocs; r++) {
    if (c->is_halo && r == c->rank) continue;
    const many_box theirs = indices_of(c->from_layout, r, false), wanted = indices_of(c->to_layout, r, true);
    const many_link link = {r, meet(&owned, &wanted, c->from_start), meet(&theirs, &held, c->to_start)};
    if (count(&link.send) == 0 && count(&link.receive) == 0) continue;
    if (c->links == MANY_LINKS) bench_fail("more than %d processes", MANY_LINKS);
    c->link[c->links++] = link;
    sent += count(&link.send);
    received += count(&link.receive);
  }
  c->buffers[0] = bench_alloc(sent * c->fields * (int64_t)sizeof(double));
  c->buffers[1] = bench_alloc(received * c->fields * (int64_t)sizeof(double));
}

static double *pack(const many_case *c, const many_box *b, double *at)
{
  const int64_t columns = row_of(&c->from[0]), width = b->columns[1] - b->columns[0];
  for (int f = 0; f < c->fields; f++)
    for (int64_t i = b->rows[0]; i < b->rows[1]; i++, at += width) {
      const double *row = (const double *)c->sources[f] + i * columns + b->columns[0];
      if (width == 1)
        *at = *row;
      else
        memcpy(at, row, (size_t)width * sizeof *at);
    }
  return at;
}

static const double *unpack(const many_case *c, const many_box *b, const double *at)
{
  const int64_t columns = row_of(&c->to[0]), width = b->columns[1] - b->columns[0];
  for (int f = 0; f < c->fields; f++)
    for (int64_t i = b->rows[0]; i < b->rows[1]; i++, at += width) {
      double *row = (double *)c->destinations[f] + i * columns + b->columns[0];
      if (width == 1)
        *row = *at;
      else
        memcpy(row, at, (size_t)width * sizeof *at);
    }
  return at;
}

/* Copies this process's own part of a move, field by field. */
static void copy_own(const many_case *c, const many_link *l)
{
  const int64_t width = l->send.columns[1] - l->send.columns[0];
  for (int f = 0; f < c->fields; f++)
    for (int64_t i = 0; i < l->send.rows[1] - l->send.rows[0]; i++)
      memcpy((double *)c->destinations[f] + (l->receive.rows[0] + i) * row_of(&c->to[0]) +
                 l->receive.columns[0],
             (const double *)c->sources[f] + (l->send.rows[0] + i) * row_of(&c->from[0]) + l->send.columns[0],
             (size_t)width * sizeof(double));
}

void many_run_by_hand(many_case *c)
{
  MPI_Request receives[MANY_LINKS], sends[MANY_LINKS];
  const double *parts[MANY_LINKS];
  double *at = c->buffers[1];
  for (int i = 0; i < c->links; i++) {
    const int64_t n = c->link[i].rank == c->rank ? 0 : c->fields * count(&c->link[i].receive);
    receives[i] = MPI_REQUEST_NULL;
    parts[i] = at;
    if (n > 0) MPI_Irecv(at, (int)n, MPI_DOUBLE, c->link[i].rank, 0, c->comm, &receives[i]);
    at += n;
  }
  at = c->buffers[0];
  for (int i = 0; i < c->links; i++) {
    sends[i] = MPI_REQUEST_NULL;
    if (c->link[i].rank == c->rank || count(&c->link[i].send) == 0) continue;
    double *end = pack(c, &c->link[i].send, at);
    MPI_Isend(at, (int)(end - at), MPI_DOUBLE, c->link[i].rank, 0, c->comm, &sends[i]);
    at = end;
  }
  for (int i = 0; i < c->links; i++)
    if (c->link[i].rank == c->rank) copy_own(c, &c->link[i]);
  for (int i = 0, which; i < c->links; i++) {
    MPI_Waitany(c->links, receives, &which, MPI_STATUS_IGNORE);
    if (which == MPI_UNDEFINED) break;
    (void)unpack(c, &c->link[which].receive, parts[which]);
  }
  MPI_Waitall(c->links, sends, MPI_STATUSES_IGNORE);
}

/* ---- by plans --------------------------------------------------------------------------------------- */

void many_run_together(many_case *c)
{
  dap_error err;
  bench_require(dap_plan_run_many(c->together, c->sources, c->destinations, &err), &err);
}

/* Runs one plan again and again, as a program without tables would. */
void many_run_one_by_one(many_case *c)
{
  dap_error err;
  for (int f = 0; f < c->fields; f++)
    bench_require(dap_plan_run(c->single[0], c->sources[f], c->destinations[f], &err), &err);
}

void many_run_overlapped(many_case *c)
{
  dap_error err;
  for (int f = 0; f < c->fields; f++)
    bench_require(dap_plan_begin(c->single[f], c->sources[f], c->destinations[f], &err), &err);
  for (int f = 0; f < c->fields; f++) bench_require(dap_plan_end(c->single[f], &err), &err);
}

/* ---- making, filling, checking ----------------------------------------------------------------------- */

void many_case_make(MPI_Comm comm, bool is_halo, int64_t n, int fields, bool is_shared, many_case *c)
{
  *c = (many_case){.comm = comm, .fields = fields, .n = n, .is_halo = is_halo};
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->nprocs);
  make_layouts(c);
  make_arrays(c, is_shared);
  make_plans(c);
  make_links(c);
}

void many_case_free(many_case *c)
{
  dap_plan_destroy(&c->together);
  for (int f = 0; f < c->fields; f++) {
    dap_plan_destroy(&c->single[f]);
    dap_array_release(&c->from[f]);
    if (!c->is_halo) dap_array_release(&c->to[f]);
  }
  dap_layout_destroy(&c->from_layout);
  dap_layout_destroy(&c->to_layout);
  for (int i = 0; i < 2; i++) free(c->buffers[i]);
}

static double value(const many_case *c, int field, int64_t i, int64_t j)
{
  return (double)(i * c->n + j) + field / 128.;
}

static bool is_inside(const many_box *box, int64_t i, int64_t j)
{
  return i >= box->rows[0] && i < box->rows[1] && j >= box->columns[0] && j < box->columns[1];
}

void many_case_fill(const many_case *c)
{
  const many_box owned = indices_of(c->from_layout, c->rank, false);
  for (int f = 0; f < c->fields; f++) {
    double *from = c->from[f].data, *to = c->to[f].data;
    for (int64_t i = 0; i < c->to[f].shape[0]; i++)
      for (int64_t j = 0; j < c->to[f].shape[1]; j++) to[i * row_of(&c->to[f]) + j] = -1;
    for (int64_t i = 0; i < c->from[f].shape[0]; i++)
      for (int64_t j = 0; j < c->from[f].shape[1]; j++)
        if (is_inside(&owned, c->from_start[0] + i, c->from_start[1] + j))
          from[i * row_of(&c->from[f]) + j] = value(c, f, c->from_start[0] + i, c->from_start[1] + j);
  }
}

int64_t many_case_wrong(const many_case *c)
{
  int64_t wrong = 0;
  for (int f = 0; f < c->fields; f++) {
    const double *to = c->to[f].data;
    for (int64_t i = 0; i < c->to[f].shape[0]; i++)
      for (int64_t j = 0; j < c->to[f].shape[1]; j++)
        wrong += to[i * row_of(&c->to[f]) + j] != value(c, f, c->to_start[0] + i, c->to_start[1] + j);
  }
  return wrong;
}
