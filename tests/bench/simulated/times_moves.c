/* Redistributes by a plan, and by hand. */
#include "times.h"

#include <dapbridge/plan.h>

#include <stdio.h>
#include <stdlib.h>

/* ---- a plan ------------------------------------------------------------------------------------------- */

static void must(dap_status s, const dap_error *err)
{
  if (!s) return;
  (void)fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static dap_layout *make_layout(const times_axis axes[])
{
  dap_dist dists[TIMES_NDIM];
  dap_layout *layout = NULL;
  dap_error err;
  for (int k = 0; k < TIMES_NDIM; k++)
    dists[k] = axes[k].width * axes[k].procs == axes[k].size
                   ? dap_dist_even(axes[k].size, axes[k].procs)
                   : dap_dist_cyclic(axes[k].size, axes[k].procs, axes[k].width);
  must(dap_layout_create(TIMES_NDIM, dists, &layout, &err), &err);
  return layout;
}

void times_plan(const times_case *c, unsigned forced, const times_clock *clock)
{
  dap_layout *layouts[] = {make_layout(c->from), make_layout(c->to)};
  const dap_side from = {.layout = layouts[0], .dtype = DAP_F8, .contiguous = true},
                 to = {.layout = layouts[1], .dtype = DAP_F8, .contiguous = true};
  const dap_plan_options options = {.transports = DAP_TRANSPORT_MESSAGES | forced};
  dap_plan *plan = NULL;
  dap_error err;
  must(dap_plan_create(c->comm, &from, &to, 8, &options, &plan, &err), &err);
  clock->start();
  must(dap_plan_run(plan, c->source, c->destination, &err), &err);
  clock->stop();
  dap_plan_destroy(&plan);
  for (int i = 0; i < 2; i++) dap_layout_destroy(&layouts[i]);
}

/* ---- shares ------------------------------------------------------------------------------------------- */

/* One of the two ends of a share. */
typedef struct end {
  int64_t first[TIMES_NDIM], step[TIMES_NDIM], width; /* width of the buffer's rows */
} end;

static end end_of(const times_case *c, const times_range share[], bool of_from)
{
  end e = {.width = of_from ? c->from_shape[1] : c->to_shape[1]};
  for (int k = 0; k < TIMES_NDIM; k++) {
    e.first[k] = of_from ? share[k].from : share[k].to;
    e.step[k] = of_from ? share[k].from_step : share[k].to_step;
  }
  return e;
}

static int64_t count_of(const times_range share[])
{
  return share[0].count * share[0].length * share[1].count * share[1].length;
}

static void copy(const times_range share[], const end *e, double *packed, double *buffer, bool packs)
{
  for (int64_t i = 0; i < share[0].count * share[0].length; i++) {
    const int64_t row = e->first[0] + i / share[0].length * e->step[0] + i % share[0].length;
    for (int64_t j = 0; j < share[1].count; j++) {
      double *at = buffer + row * e->width + e->first[1] + j * e->step[1];
      for (int64_t l = 0; l < share[1].length; l++, packed++)
        if (packs)
          *packed = at[l];
        else
          at[l] = *packed;
    }
  }
}

static void pack(const times_case *c, const times_range share[], double *packed)
{
  const end e = end_of(c, share, true);
  copy(share, &e, packed, c->source, true);
}

static void unpack(const times_case *c, const times_range share[], double *packed)
{
  const end e = end_of(c, share, false);
  copy(share, &e, packed, c->destination, false);
}

/* ---- packed by hand ----------------------------------------------------------------------------------- */

typedef struct packed {
  int rank;
  double *data;
  times_range share[TIMES_NDIM];
  MPI_Request request;
} packed;

/* Finds the other processes that receive from this one, or send to it. Those with higher ranks come first. */
static packed *find_peers(const times_case *c, bool is_send, int *count)
{
  packed *peers = malloc((size_t)c->nprocs * sizeof *peers);
  *count = 0;
  for (int i = 1; i < c->nprocs; i++) {
    packed *p = &peers[*count];
    p->rank = is_send ? (c->rank + i) % c->nprocs : (c->rank - i + c->nprocs) % c->nprocs;
    const bool any = is_send ? times_case_share(c, c->rank, p->rank, p->share)
                             : times_case_share(c, p->rank, c->rank, p->share);
    if (!any) continue;
    p->data = malloc((size_t)count_of(p->share) * sizeof(double));
    ++*count;
  }
  return peers;
}

static void free_peers(packed peers[], int count)
{
  for (int i = 0; i < count; i++) free(peers[i].data);
  free(peers);
}

static void copy_own(const times_case *c)
{
  times_range share[TIMES_NDIM];
  if (!times_case_share(c, c->rank, c->rank, share)) return;
  double *data = malloc((size_t)count_of(share) * sizeof(double));
  pack(c, share, data);
  unpack(c, share, data);
  free(data);
}

void times_pack(const times_case *c, const times_clock *clock)
{
  int sent = 0, received = 0;
  packed *to = find_peers(c, true, &sent), *from = find_peers(c, false, &received);
  clock->start();
  for (int i = 0; i < received; i++)
    MPI_Irecv(from[i].data, (int)count_of(from[i].share), MPI_DOUBLE, from[i].rank, 0, c->comm,
              &from[i].request);
  for (int i = 0; i < sent; i++) {
    pack(c, to[i].share, to[i].data);
    MPI_Isend(to[i].data, (int)count_of(to[i].share), MPI_DOUBLE, to[i].rank, 0, c->comm, &to[i].request);
  }
  copy_own(c);
  for (int i = 0; i < received; i++) {
    MPI_Wait(&from[i].request, MPI_STATUS_IGNORE);
    unpack(c, from[i].share, from[i].data);
  }
  for (int i = 0; i < sent; i++) MPI_Wait(&to[i].request, MPI_STATUS_IGNORE);
  clock->stop();
  free_peers(to, sent);
  free_peers(from, received);
}

/* ---- MPI_Alltoallw ------------------------------------------------------------------------------------ */

/* Makes the type of rows and columns that repeat, as vectors of vectors. */
static MPI_Datatype make_type(const times_case *c, const times_range share[], bool of_from, int64_t *at)
{
  const end e = end_of(c, share, of_from);
  MPI_Datatype columns, rows, all;
  MPI_Type_vector((int)share[1].count, (int)share[1].length, (int)e.step[1], MPI_DOUBLE, &columns);
  MPI_Type_create_hvector((int)share[0].length, 1, e.width * 8, columns, &rows);
  MPI_Type_create_hvector((int)share[0].count, 1, e.step[0] * e.width * 8, rows, &all);
  MPI_Type_commit(&all);
  MPI_Type_free(&columns);
  MPI_Type_free(&rows);
  *at = e.first[0] * e.width + e.first[1];
  return all;
}

static int start_one(const times_case *c, int rank, bool is_send, MPI_Request *request)
{
  times_range share[TIMES_NDIM];
  int64_t at;
  const bool any =
      is_send ? times_case_share(c, c->rank, rank, share) : times_case_share(c, rank, c->rank, share);
  if (!any || rank == c->rank) return 0;
  MPI_Datatype type = make_type(c, share, is_send, &at);
  if (is_send)
    MPI_Isend(c->source + at, 1, type, rank, 0, c->comm, request);
  else
    MPI_Irecv(c->destination + at, 1, type, rank, 0, c->comm, request);
  MPI_Type_free(&type);
  return 1;
}

/* The simulator's own function sends empty messages, and all at once. This is MPICH's algorithm: 32
 * messages each way, then their end, then the next 32. Types are freed after their use, so that few exist
 * at a time. */
void times_alltoallw(const times_case *c, const times_clock *clock)
{
  enum { THROTTLE = 32 }; /* MPIR_CVAR_ALLTOALL_THROTTLE */
  MPI_Request requests[2 * THROTTLE];
  clock->start();
  copy_own(c);
  for (int first = 1; first < c->nprocs; first += THROTTLE) {
    int count = 0;
    for (int i = first; i < first + THROTTLE && i < c->nprocs; i++)
      count += start_one(c, (c->rank + i) % c->nprocs, false, &requests[count]);
    for (int i = first; i < first + THROTTLE && i < c->nprocs; i++)
      count += start_one(c, (c->rank - i + c->nprocs) % c->nprocs, true, &requests[count]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  clock->stop();
}
