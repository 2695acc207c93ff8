/* Plans between the two groups of an intercommunicator. Each group knows the side that it holds. Both are
 * made sides of the communicator of both groups, which the context has; from there on the plan is one like
 * any other. */
#include "transfer_impl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"from", "to"};

typedef struct matching {
  dap_context *context;     /* borrowed */
  const dap_side *given[2]; /* from and to; NULL, or without a layout: the other group's, or others have it */
  int *ranks[2];            /* [nprocs of the layout] in the communicator of both */
  int64_t first[2][2];      /* [side][group] the lowest rank of both that gives the layout; INT_MAX: none */
  int sender;               /* the group that has `from`; -1: not known yet */
} matching;

/* ---- who brings what -------------------------------------------------------------------------------- */

static bool is_given(const matching *m, int k)
{
  return m->given[k] && m->given[k]->layout;
}

/* The side's ranks are those of this process's group. */
static dap_status translate(matching *m, int k, bool *seen, dap_error *err)
{
  const dap_groups *groups = &m->context->groups;
  const dap_side *side = m->given[k];
  const int size = groups->size[groups->own];
  for (int i = 0; i < side->layout->nprocs; i++) {
    const int rank = side->ranks ? side->ranks[i] : i;
    DAP_REQUIRE(rank >= 0 && rank < size && !seen[rank], err, DAP_ERR_ARG,
                "%s: ranks[%d] = %d is outside the group's %d processes or named twice", names[k], i, rank,
                size);
    seen[rank] = true;
    m->ranks[k][i] = groups->ranks[groups->own][rank];
  }
  return DAP_OK;
}

static dap_status take(matching *m, int k, dap_error *err)
{
  const dap_groups *groups = &m->context->groups;
  const int size = groups->size[groups->own];
  if (!is_given(m, k)) return DAP_OK;
  DAP_TRY(dap_layout_check(m->given[k]->layout, err));
  const int count = m->given[k]->layout->nprocs;
  DAP_REQUIRE(count <= size, err, DAP_ERR_ARG, "%s: its layout has %d processes, the group that brings it %d",
              names[k], count, size);
  m->ranks[k] = malloc((size_t)count * sizeof *m->ranks[k]);
  bool *seen = calloc((size_t)size, sizeof *seen);
  const dap_status s = m->ranks[k] && seen ? translate(m, k, seen, err)
                                           : dap_fail(err, DAP_ERR_NOMEM, "no memory for %d ranks", count);
  free(seen);
  return s;
}

/* From what all processes know alike. */
static dap_status find_sender(matching *m, dap_error *err)
{
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(m->first[k][0] == INT_MAX || m->first[k][1] == INT_MAX, err, DAP_ERR_ARG,
                "%s: processes of both groups bring its layout, but one group sends and the other receives",
                names[k]);
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(m->first[k][0] < INT_MAX || m->first[k][1] < INT_MAX, err, DAP_ERR_ARG,
                "%s: the layout is NULL on every process", names[k]);
  const int sender = m->first[0][1] < INT_MAX;
  DAP_REQUIRE(m->first[1][sender] == INT_MAX, err, DAP_ERR_ARG,
              "one group brings the layouts of from and to, the other none: a plan within a group needs a "
              "communicator of that group");
  m->sender = sender;
  return DAP_OK;
}

/* Collective; agreed, on `s` too. */
static dap_status match(matching *m, dap_status s, dap_error *err)
{
  const dap_context *c = m->context;
  for (int k = 0; k < 2 && !s; k++) s = take(m, k, err);
  dap_agreement a = {.function = "dap_plan_create", .status = s};
  for (int k = 0; k < 2; k++)
    for (int g = 0; g < 2; g++) a.least[2 * k + g] = is_given(m, k) && g == c->groups.own ? c->rank : INT_MAX;
  DAP_TRY(dap_agree_all(c->comm, &a, err));
  memcpy(m->first, a.least, sizeof m->first);
  s = find_sender(m, err);
  return s ? dap_agree(c->comm, s, err) : DAP_OK;
}

/* ---- what the others must know of a side -------------------------------------------------------------- */

/* All but its ranks and layout, which follow it. */
typedef struct outline {
  int64_t words; /* in all; -1: they could not be written */
  int64_t nprocs, dtype, naxes;
  int64_t has_axes, has_start, has_shape;
  int64_t axes[DAP_MAX_NDIM], start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
} outline;

/* FIRST: words of the one broadcast that takes most sides; of a longer one the rest follows. */
enum { OUTLINE = sizeof(outline) / sizeof(int64_t), FIRST = 128 };

static outline outline_of(const dap_side *side)
{
  const dap_part *part = &side->part;
  const int ndim = side->layout->ndim;
  outline o = {.nprocs = side->layout->nprocs,
               .dtype = side->dtype,
               .naxes = part->naxes,
               .has_axes = part->axes != NULL,
               .has_start = part->start != NULL,
               .has_shape = part->shape != NULL};
  for (int j = 0; part->axes && j < part->naxes && j < DAP_MAX_NDIM; j++) o.axes[j] = part->axes[j];
  for (int k = 0; k < ndim && part->start; k++) o.start[k] = part->start[k];
  for (int k = 0; k < ndim && part->shape; k++) o.shape[k] = part->shape[k];
  return o;
}

/* Points into what it is made from. */
static dap_side side_of(const outline *o, int axes[])
{
  for (int j = 0; j < DAP_MAX_NDIM; j++) axes[j] = (int)o->axes[j];
  return (dap_side){.dtype = (dap_dtype)o->dtype,
                    .part = {.naxes = (int)o->naxes,
                             .axes = o->has_axes ? axes : NULL,
                             .start = o->has_start ? o->start : NULL,
                             .shape = o->has_shape ? o->shape : NULL}};
}

static dap_status write_words(const matching *m, int k, int64_t **words, dap_error *err)
{
  int64_t *layout = NULL, count = 0;
  outline o = outline_of(m->given[k]);
  DAP_TRY(dap_layout_pack(m->given[k]->layout, &layout, &count, err));
  o.words = OUTLINE + o.nprocs + count;
  int64_t *all = *words = o.words <= INT_MAX ? malloc((size_t)o.words * sizeof *all) : NULL;
  if (all) {
    memcpy(all, &o, sizeof o);
    for (int i = 0; i < o.nprocs; i++) all[OUTLINE + i] = m->ranks[k][i];
    memcpy(all + OUTLINE + o.nprocs, layout, (size_t)count * sizeof *layout);
  }
  free(layout);
  DAP_REQUIRE(all, err, o.words <= INT_MAX ? DAP_ERR_NOMEM : DAP_ERR_RANGE,
              "%s: no memory to send a layout of %d processes", names[k], (int)o.nprocs);
  return DAP_OK;
}

static dap_status read_words(const int64_t words[], dap_layout **layout, int **ranks, dap_error *err)
{
  const int64_t nprocs = words[offsetof(outline, nprocs) / sizeof *words], *at = words + OUTLINE;
  *ranks = malloc((size_t)nprocs * sizeof **ranks);
  DAP_REQUIRE(*ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", (int)nprocs);
  for (int i = 0; i < nprocs; i++) (*ranks)[i] = (int)at[i];
  return dap_layout_unpack(at + nprocs, words[0] - OUTLINE - nprocs, layout, err);
}

/* What did not fit the first broadcast: *words becomes all of it. Collective, where anything is left; not
 * agreed. */
static dap_status broadcast_rest(MPI_Comm comm, int root, const int64_t first[], int64_t **words,
                                 dap_error *err)
{
  const int64_t count = first[0];
  if (count <= FIRST) return DAP_OK;
  int64_t *all = *words ? *words : malloc((size_t)count * sizeof *all);
  *words = all;
  DAP_TRY(dap_agree(comm, all ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory to receive a layout"), err));
  memcpy(all, first, FIRST * sizeof *all);
  return dap_bcast(comm, all + FIRST, (int)(count - FIRST), MPI_INT64_T, root, err);
}

/* What is told of a side, and who tells it. */
typedef struct telling {
  int root;
  int64_t first[FIRST], *words;
} telling;

/* Side k begins, from the first that has it to all that have it not. Collective; not agreed. */
static dap_status start_telling(const matching *m, int k, telling *t, dap_error *err)
{
  const dap_context *c = m->context;
  *t = (telling){.root = (int)(m->first[k][0] < INT_MAX ? m->first[k][0] : m->first[k][1])};
  const dap_status written = c->rank == t->root ? write_words(m, k, &t->words, err) : DAP_OK;
  if (t->words) memcpy(t->first, t->words, (size_t)dap_smaller(t->words[0], FIRST) * sizeof *t->words);
  const dap_status sent = dap_bcast(c->comm, t->first, FIRST, MPI_INT64_T, t->root, written ? NULL : err);
  return written ? written : sent;
}

static dap_status end_telling(const matching *m, int k, telling *t, outline *o, dap_told *told,
                              dap_error *err)
{
  memcpy(o, t->first, sizeof *o);
  dap_status s = broadcast_rest(m->context->comm, t->root, t->first, &t->words, err);
  if (!s && !is_given(m, k))
    s = read_words(t->words ? t->words : t->first, &told->layouts[k], &told->ranks[k], err);
  return s;
}

/* Both, whatever the first comes to. How much is left of each all know then. Collective; not agreed. */
static dap_status tell(const matching *m, outline outlines[], dap_told *told, dap_error *err)
{
  telling t[2];
  dap_status s = DAP_OK;
  for (int k = 0; k < 2; k++) {
    const dap_status began = start_telling(m, k, &t[k], s ? NULL : err);
    if (!s) s = began;
  }
  s = dap_agree(m->context->comm, s, err);
  for (int k = 0; k < 2 && !s; k++) {
    const dap_status ended = end_telling(m, k, &t[k], &outlines[k], told, told->status ? NULL : err);
    if (!told->status) told->status = ended;
  }
  for (int k = 0; k < 2; k++) free(t[k].words);
  return s;
}

/* ---- made --------------------------------------------------------------------------------------------- */

static dap_status make(matching *m, dap_told *told, int64_t itemsize, const dap_plan_options *options,
                       dap_plan **plan, dap_error *err)
{
  outline outlines[2];
  dap_side sides[2];
  int axes[2][DAP_MAX_NDIM];
  DAP_TRY(tell(m, outlines, told, err));
  for (int k = 0; k < 2; k++) {
    sides[k] = is_given(m, k) ? *m->given[k] : side_of(&outlines[k], axes[k]);
    sides[k].ranks = m->ranks[k];
  }
  DAP_TRY(dap_plan_create_within(m->context, &sides[0], &sides[1], itemsize, options, told, plan, err));
  for (dap_plan *p = *plan; p; p = p->next_pass) p->sender = m->sender;
  return DAP_OK;
}

static dap_status create(matching *m, dap_status s, int64_t itemsize, const dap_plan_options *options,
                         dap_plan **plan, dap_error *err)
{
  dap_told told = {.status = DAP_OK};
  DAP_TRY(match(m, s, err));
  s = make(m, &told, itemsize, options, plan, err);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&told.layouts[k]);
  for (int k = 0; k < 2; k++) free(told.ranks[k]);
  return s;
}

static dap_status create_between(dap_context *context, const dap_side *from, const dap_side *to,
                                 int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                 dap_error *err)
{
  matching m = {.context = context, .given = {from, to}, .sender = -1};
  const dap_status given = plan ? DAP_OK : dap_fail(err, DAP_ERR_ARG, "plan must not be NULL");
  const dap_status s = create(&m, given, itemsize, options, plan, err);
  if (s) dap_groups_name(&m.context->groups, m.sender, err);
  for (int k = 0; k < 2; k++) free(m.ranks[k]);
  return s;
}

dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                           const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  dap_context *context;
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_context_get_any(comm, "dap_plan_create", &context, err));
  const dap_status s = context->groups.ranks[0]
                           ? create_between(context, from, to, itemsize, options, plan, err)
                           : dap_plan_create_within(context, from, to, itemsize, options, NULL, plan, err);
  dap_context_release(&context);
  return s;
}
