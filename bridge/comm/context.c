/* Creates and ends contexts. A communicator that the library has worked on has one as an attribute. */
#include "comm_impl.h"

#include <stdlib.h>

/* ---- objects of adapters ------------------------------------------------------------------------------- */

struct dap_kept {
  const dap_kept_kind *kind;
  struct dap_kept *next;
  _Alignas(max_align_t) char object[];
};

void *dap_context_keep(dap_context *context, const dap_kept_kind *kind)
{
  for (struct dap_kept *k = context->kept; k; k = k->next)
    if (k->kind == kind) return k->object;
  struct dap_kept *made = calloc(1, sizeof *made + kind->bytes);
  if (!made) return NULL;
  made->kind = kind;
  made->next = context->kept;
  context->kept = made;
  return made->object;
}

/* Ends the kept objects, the newest first. */
static void end_kept(dap_context *context, bool mpi_ends)
{
  while (context->kept) {
    struct dap_kept *last = context->kept;
    context->kept = last->next;
    last->kind->destroy(last->object, mpi_ends);
    free(last);
  }
}

/* ---- the list of this process's contexts --------------------------------------------------------------- */

static void strike_out(dap_context *context)
{
  dap_self *self = dap_self_lock(false);
  dap_context **link = self ? &self->contexts : NULL;
  while (link && *link && *link != context) link = &(*link)->next;
  if (link && *link) *link = context->next;
  dap_self_unlock();
}

/* Returns the context of the least number. All processes end contexts in this order, whichever threads have
 * made them. */
static dap_context *first_of_all(void)
{
  const dap_self *self = dap_self_lock(false);
  dap_context *first = self ? self->contexts : NULL;
  for (dap_context *c = first; c; c = c->next)
    if (c->number < first->number) first = c;
  dap_self_unlock();
  return first;
}

/* ---- ends ---------------------------------------------------------------------------------------------- */

static bool has_message(MPI_Comm comm)
{
  int is_there = 0;
  if (comm == MPI_COMM_NULL) return false;
  return MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
         is_there;
}

/* Returns whether the communicators stay until MPI ends, the same on all processes. Messages of a failed
 * run, or of a collective call that was given up, may still be on their way. MPI could deliver them to
 * another communicator to which it gives the number of one of these. A process that has not learned of a
 * failed run finds the message about it. */
static bool must_stay(const dap_context *context)
{
  if (context->mpi_ends) return false;
  bool stays = context->is_broken || (context->limit && context->limit->is_expired);
  for (int i = 0; i < context->old_count; i++) stays = stays || has_message(context->old[i]);
  return stays || has_message(context->comm);
}

/* Frees the objects of MPI. Collective, because freeing a communicator is. It never disconnects
 * communicators, even of processes that were not started together. Open MPI 4 hangs in MPI_Comm_disconnect()
 * of a communicator that MPI_Intercomm_merge() has made. In MPI_Finalize it does not wait for processes of a
 * freed communicator. */
static void end_mpi(dap_context *context)
{
  dap_node_release(&context->node);
  for (int i = 0; i < context->old_count; i++) (void)MPI_Comm_free(&context->old[i]);
  context->old_count = 0;
  context->limit = NULL; /* freeing `comm` may free the limit */
  if (context->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&context->comm);
}

/* A context that must stay keeps its place in the list of this process, so that end_all() ends it. */
void dap_context_release(dap_context **context)
{
  dap_context *c = *context;
  *context = NULL;
  if (!c || --c->users > 0 || c->owner != MPI_COMM_NULL) return;
  dap_node_release(&c->node);
  dap_pool_release(&c->pool);
  if (must_stay(c)) return;
  strike_out(c);
  end_mpi(c);
  free(c->old);
  free(c->gathered);
  free(c->hosts);
  if (c->failure_sent) /* MPI may read that number until the process ends */
    dap_self_leave(&c->left);
  else
    free(c);
}

/* Is called before the communicator is freed, or as MPI ends. Live plans and views keep the context, but
 * nobody finds it any more. */
static int on_delete(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)key, (void)extra;
  dap_context *context = attribute;
  if (comm != context->owner) return MPI_SUCCESS; /* the duplicate also has the attribute */
  context->users++;                               /* kept objects may use the context while they end */
  end_kept(context, context->mpi_ends || comm == MPI_COMM_SELF /* which is freed as MPI ends */);
  context->owner = MPI_COMM_NULL;
  dap_context_release(&context);
  return MPI_SUCCESS;
}

/* Is called as MPI ends, while it still works. Users that are left release their contexts later, without
 * MPI. */
static void end_all(void)
{
  for (dap_context *context; (context = first_of_all());) {
    context->users++;
    context->mpi_ends = true;
    if (context->owner != MPI_COMM_NULL) /* this calls on_delete() */
      (void)MPI_Comm_delete_attr(context->owner, dap_self_key(DAP_KEY_CONTEXT));
    strike_out(context);
    end_mpi(context);
    dap_context_release(&context);
  }
}

/* ---- made ---------------------------------------------------------------------------------------------- */

static dap_status allocate(dap_context **context, dap_error *err)
{
  *context = calloc(1, sizeof **context);
  DAP_REQUIRE(*context, err, DAP_ERR_NOMEM, "no memory for what a communicator keeps");
  **context = (dap_context){.owner = MPI_COMM_NULL,
                            .comm = MPI_COMM_NULL,
                            .node = {.comm = MPI_COMM_NULL},
                            .next_tag = DAP_FIRST_TAG};
  const int key = dap_self_make_key(DAP_KEY_CONTEXT, MPI_COMM_NULL_COPY_FN, on_delete);
  DAP_REQUIRE(key != MPI_KEYVAL_INVALID, err, DAP_ERR_NOMEM, "no memory for an attribute of a communicator");
  return DAP_OK;
}

/* Asks MPI about the context's communicator. */
static dap_status query_comm(dap_context *context, dap_error *err)
{
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(context->comm, &context->rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(context->comm, &context->nprocs), "MPI_Comm_size", err));
  void *most = NULL;
  int found = 0;
  /* other communicators may lack this attribute */
  DAP_TRY(
      dap_mpi_check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found), "MPI_Comm_get_attr", err));
  context->most_tag = found ? *(const int *)most : DAP_LEAST_TAG_UB;
  return DAP_OK;
}

static dap_status duplicate(MPI_Comm comm, MPI_Comm *own, dap_error *err)
{
  *own = MPI_COMM_NULL;
  DAP_TRY(dap_barrier(comm, err));
  return dap_comm_private(comm, own, err);
}

/* Makes the context's communicator, unless it is `both`, which has both groups. Collective; agreed. */
static dap_status open_comm(MPI_Comm comm, MPI_Comm both, dap_context *context, dap_error *err)
{
  const bool is_inter = both != comm;
  dap_status s = is_inter ? dap_node_pretend_alike(comm, both, err) : duplicate(comm, &context->comm, err);
  if (!s && is_inter) s = dap_groups_find(comm, both, &context->groups, err);
  if (!s) s = query_comm(context, err);
  if (!s) s = dap_limit_share(dap_limit_of(both), context->comm, err);
  context->limit = dap_limit_of(both); /* before the agreement, because the limit may expire there */
  DAP_TRY(dap_agree(both, s, err));
  if (is_inter && context->limit) context->limit->groups = &context->groups;
  return DAP_OK;
}

/* Does nothing if the process has no data, because there was no memory for it. */
static void enlist(dap_context *context)
{
  dap_self *self = dap_self_lock(false);
  if (self) {
    context->next = self->contexts;
    self->contexts = context;
    self->end_contexts = end_all;
  }
  dap_self_unlock();
}

/* Makes the context an attribute. The duplicate also has it, for functions that are given the duplicate. The
 * owner gets it last, when the context is whole. */
static dap_status attach(MPI_Comm comm, dap_context *context, dap_error *err)
{
  const int key = dap_self_key(DAP_KEY_CONTEXT);
  DAP_TRY(dap_mpi_check(MPI_Comm_set_attr(context->comm, key, context), "MPI_Comm_set_attr", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_set_attr(comm, key, context), "MPI_Comm_set_attr", err));
  context->owner = comm;
  enlist(context);
  return DAP_OK;
}

static dap_status fill(MPI_Comm comm, MPI_Comm both, dap_context *context, dap_error *err)
{
  enum { NUMBER, MOST_TAG, CACHE_BYTES };
  DAP_TRY(open_comm(comm, both, context, err));
  DAP_TRY(dap_node_create(context->comm, &context->node, err));
  DAP_TRY(dap_pool_create(&context->pool, &context->node, context->comm, err));
  context->gathered = calloc((size_t)context->node.size, sizeof *context->gathered);
  dap_status s =
      context->gathered ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for what a communicator keeps");
  if (!s) s = attach(comm, context, err);
  dap_agreement a = {.status = s,
                     .without_context = true,
                     .least = {[NUMBER] = (int64_t)dap_process_draw(),
                               [MOST_TAG] = context->most_tag /* two MPIs may differ */,
                               [CACHE_BYTES] = dap_cache_bytes()}};
  DAP_TRY(dap_agree_all(both, &a, err));
  context->number = a.least[NUMBER];
  context->most_tag = (int)a.least[MOST_TAG];
  context->cache_bytes = a.least[CACHE_BYTES];
  return DAP_OK;
}

/* Creates the context of `comm`. The processes agree on `comm` meanwhile. If it is an intercommunicator, they
 * agree on a communicator of both groups, which becomes the context's. */
static dap_status create(MPI_Comm comm, bool is_inter, const char *function, dap_context **context,
                         dap_error *err)
{
  MPI_Comm both = comm;
  dap_status s = is_inter ? dap_groups_merge(comm, &both, err) : DAP_OK;
  if (both == MPI_COMM_NULL) return s;
  if (!s) s = allocate(context, err);
  s = dap_agree_call(both, function, s, err);
  if (is_inter && *context) (*context)->comm = both;
  if (is_inter && !*context) (void)MPI_Comm_free(&both);
  if (!s) s = fill(comm, both, *context, err);
  if (!s || !*context) return s;
  (*context)->users = 1;
  if ((*context)->owner != MPI_COMM_NULL)
    (void)MPI_Comm_delete_attr(comm, dap_self_key(DAP_KEY_CONTEXT));
  else
    enlist(*context); /* if it must stay, end_all() has to find it */
  dap_context_release(context);
  return s;
}

dap_status dap_context_get(MPI_Comm comm, const char *function, dap_context **context, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  *context = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  return dap_context_get_any(comm, function, context, err);
}

dap_status dap_context_get_any(MPI_Comm comm, const char *function, dap_context **context, dap_error *err)
{
  bool is_inter;
  *context = NULL;
  DAP_TRY(dap_comm_is_inter(comm, &is_inter, err));
  *context = dap_context_find(comm);
  if (!*context) /* no process has it, because creating is collective */
    DAP_TRY(create(comm, is_inter, function, context, err));
  (*context)->users++;
  return DAP_OK;
}

/* ---- asked --------------------------------------------------------------------------------------------- */

MPI_Comm dap_context_comm(const dap_context *context)
{
  return context->comm;
}

/* Tags are not given twice on one communicator, so plans need not give them back. */
dap_status dap_context_tags(dap_context *context, int count, dap_tags *tags, dap_error *err)
{
  if (count > context->most_tag - context->next_tag) {
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm *more = realloc(context->old, (size_t)(context->old_count + 1) * sizeof *more);
    dap_status s = more ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for one more communicator");
    if (more) context->old = more;
    DAP_TRY(dap_agree(context->comm, s, err));
    s = dap_agree(context->comm, duplicate(context->comm, &fresh, err), err);
    if (s && fresh != MPI_COMM_NULL) (void)MPI_Comm_free(&fresh);
    DAP_TRY(s);
    context->old[context->old_count++] = fresh;
    context->next_tag = DAP_FIRST_TAG;
  }
  *tags = (dap_tags){.comm = context->old_count > 0 ? context->old[context->old_count - 1] : context->comm,
                     .first = context->next_tag};
  context->next_tag += count;
  return DAP_OK;
}

dap_status dap_context_hosts(dap_context *context, const int **hosts, dap_error *err)
{
  *hosts = context->hosts;
  if (context->hosts) return DAP_OK;
  int own = 0; /* the lowest rank on this process's node is the node's number */
  while (context->node.node_ranks[own] < 0) own++;
  int *made = malloc((size_t)context->nprocs * sizeof *made);
  dap_status s =
      made ? DAP_OK
           : dap_fail(err, DAP_ERR_NOMEM, "no memory for the nodes of %d processes", context->nprocs);
  s = dap_agree(context->comm, s, err);
  if (!s) s = dap_agree(context->comm, dap_allgather(context->comm, &own, made, 1, MPI_INT, err), err);
  if (s) {
    free(made);
    return s;
  }
  *hosts = context->hosts = made;
  return DAP_OK;
}
