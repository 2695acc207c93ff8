/* The sides of a plan between the two groups of an intercommunicator. Each group brings the side that it
 * holds. Both become sides of the communicator of both groups, so that the plan is made like any other. */
#include "transfer_impl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const side_names[] = {"from", "to"};

typedef struct matching {
  dap_context *context;     /* borrowed */
  const dap_side *given[2]; /* from and to. NULL or without a layout: other processes have it */
  dap_group_sides *sides;   /* the result */
  int64_t first[2][2];      /* [side][group] the lowest rank of both that gives the layout; INT_MAX: none */
} matching;

/* ---- the group of each side ------------------------------------------------------------------------- */

static bool is_given(const matching *m, int k)
{
  return m->given[k] && m->given[k]->layout;
}

/* Translates the side's ranks, which are those of this process's group. */
static dap_status translate_ranks(matching *m, int k, bool *seen, dap_error *err)
{
  const dap_groups *groups = &m->context->groups;
  const dap_side *side = m->given[k];
  const int size = groups->size[groups->own];
  for (int i = 0; i < side->layout->nprocs; i++) {
    const int rank = side->ranks ? side->ranks[i] : i;
    DAP_REQUIRE(rank >= 0 && rank < size && !seen[rank], err, DAP_ERR_ARG,
                "%s: ranks[%d] = %d is outside the group's %d processes or named twice", side_names[k], i,
                rank, size);
    seen[rank] = true;
    m->sides->ranks[k][i] = groups->ranks[groups->own][rank];
  }
  return DAP_OK;
}

static dap_status check_given(matching *m, int k, dap_error *err)
{
  const dap_groups *groups = &m->context->groups;
  const int size = groups->size[groups->own];
  if (!is_given(m, k)) return DAP_OK;
  DAP_TRY(dap_layout_check(m->given[k]->layout, err));
  const int count = m->given[k]->layout->nprocs;
  DAP_REQUIRE(count <= size, err, DAP_ERR_ARG, "%s: its layout has %d processes, the group that brings it %d",
              side_names[k], count, size);
  m->sides->ranks[k] = malloc((size_t)count * sizeof *m->sides->ranks[k]);
  bool *seen = calloc((size_t)size, sizeof *seen);
  const dap_status s = m->sides->ranks[k] && seen
                           ? translate_ranks(m, k, seen, err)
                           : dap_fail(err, DAP_ERR_NOMEM, "no memory for %d ranks", count);
  free(seen);
  return s;
}

/* Finds the group that sends, from numbers that are the same on all processes. */
static dap_status find_sender(matching *m, dap_error *err)
{
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(m->first[k][0] == INT_MAX || m->first[k][1] == INT_MAX, err, DAP_ERR_ARG,
                "%s: processes of both groups bring its layout, but one group sends and the other receives",
                side_names[k]);
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(m->first[k][0] < INT_MAX || m->first[k][1] < INT_MAX, err, DAP_ERR_ARG,
                "%s: the layout is NULL on every process", side_names[k]);
  const int sender = m->first[0][1] < INT_MAX;
  DAP_REQUIRE(m->first[1][sender] == INT_MAX, err, DAP_ERR_ARG,
              "one group brings the layouts of from and to, the other none: a plan within a group needs a "
              "communicator of that group");
  m->sides->sender = sender;
  return DAP_OK;
}

/* The number of an agreement that is about a side and a group. */
static int number_of(int side, int group)
{
  return 2 * side + group;
}

/* Finds the processes that give the layouts. Collective; agreed, on `s` too. */
static dap_status find_givers(matching *m, dap_status s, dap_error *err)
{
  const dap_context *c = m->context;
  for (int k = 0; k < 2 && !s; k++) s = check_given(m, k, err);
  dap_agreement a = {.function = "dap_plan_create", .status = s};
  for (int k = 0; k < 2; k++)
    for (int g = 0; g < 2; g++)
      a.least[number_of(k, g)] = is_given(m, k) && g == c->groups.own ? c->rank : INT_MAX;
  DAP_TRY(dap_agree_all(c->comm, &a, err));
  for (int k = 0; k < 2; k++)
    for (int g = 0; g < 2; g++) m->first[k][g] = a.least[number_of(k, g)];
  s = find_sender(m, err);
  return s ? dap_agree(c->comm, s, err) : DAP_OK;
}

/* ---- a side as numbers ------------------------------------------------------------------------------ */

/* The head of a message about a side. The ranks and the layout follow it. */
typedef struct outline {
  int64_t words; /* of the whole message; -1: it could not be written */
  int64_t nprocs, dtype, naxes;
  int64_t has_axes, has_start, has_shape;
  int64_t axes[DAP_MAX_NDIM], start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
} outline;

/* FIRST: words of the first broadcast, which most sides fit. A second one has the rest. */
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

/* Makes side k, which points into `sides`. */
static void set_side(const outline *o, int k, dap_group_sides *sides)
{
  for (int j = 0; j < DAP_MAX_NDIM; j++) sides->axes[k][j] = (int)o->axes[j];
  memcpy(sides->start[k], o->start, sizeof o->start);
  memcpy(sides->shape[k], o->shape, sizeof o->shape);
  sides->side[k] = (dap_side){.dtype = (dap_dtype)o->dtype,
                              .part = {.naxes = (int)o->naxes,
                                       .axes = o->has_axes ? sides->axes[k] : NULL,
                                       .start = o->has_start ? sides->start[k] : NULL,
                                       .shape = o->has_shape ? sides->shape[k] : NULL}};
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
    for (int i = 0; i < o.nprocs; i++) all[OUTLINE + i] = m->sides->ranks[k][i];
    memcpy(all + OUTLINE + o.nprocs, layout, (size_t)count * sizeof *layout);
  }
  free(layout);
  DAP_REQUIRE(all, err, o.words <= INT_MAX ? DAP_ERR_NOMEM : DAP_ERR_RANGE,
              "%s: no memory to send a layout of %d processes", side_names[k], (int)o.nprocs);
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

/* ---- exchanged -------------------------------------------------------------------------------------- */

/* A side on its way from rank `root` to all. */
typedef struct side_message {
  int root;
  int64_t first[FIRST], *words; /* words: all, where they have been made or received */
} side_message;

/* Starts to send side k from the first process that has it. Collective; not agreed. */
static dap_status send_first(const matching *m, int k, side_message *b, dap_error *err)
{
  const dap_context *c = m->context;
  *b = (side_message){.root = (int)(m->first[k][0] < INT_MAX ? m->first[k][0] : m->first[k][1])};
  const dap_status written = c->rank == b->root ? write_words(m, k, &b->words, err) : DAP_OK;
  if (b->words) memcpy(b->first, b->words, (size_t)dap_smaller(b->words[0], FIRST) * sizeof *b->words);
  const dap_status sent = dap_bcast(c->comm, b->first, FIRST, MPI_INT64_T, b->root, written ? NULL : err);
  return written ? written : sent;
}

/* Sends the rest, if there is any. Collective then; not agreed. */
static dap_status send_rest(MPI_Comm comm, side_message *b, dap_error *err)
{
  const int64_t count = b->first[0];
  if (count <= FIRST) return DAP_OK;
  if (!b->words) b->words = malloc((size_t)count * sizeof *b->words);
  DAP_TRY(dap_agree(comm, b->words ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory to receive a layout"),
                    err));
  memcpy(b->words, b->first, FIRST * sizeof *b->words);
  return dap_bcast(comm, b->words + FIRST, (int)(count - FIRST), MPI_INT64_T, b->root, err);
}

static dap_status receive_side(const matching *m, int k, side_message *b, dap_error *err)
{
  outline o;
  dap_group_sides *sides = m->sides;
  memcpy(&o, b->first, sizeof o);
  dap_status s = send_rest(m->context->comm, b, err);
  if (!s && !is_given(m, k))
    s = read_words(b->words ? b->words : b->first, &sides->received.layouts[k], &sides->received.ranks[k],
                   err);
  if (is_given(m, k))
    sides->side[k] = *m->given[k];
  else
    set_side(&o, k, sides);
  sides->side[k].ranks = sides->ranks[k];
  return s;
}

/* Exchanges both sides. A failure to receive one goes to sides->received, as others may have succeeded.
 * Collective; agreed otherwise. */
static dap_status exchange_sides(const matching *m, dap_error *err)
{
  side_message b[2];
  dap_received_sides *received = &m->sides->received;
  dap_status s = DAP_OK;
  for (int k = 0; k < 2; k++) {
    const dap_status began = send_first(m, k, &b[k], s ? NULL : err);
    if (!s) s = began;
  }
  s = dap_agree(m->context->comm, s, err);
  for (int k = 0; k < 2 && !s; k++) {
    const dap_status ended = receive_side(m, k, &b[k], received->status ? NULL : err);
    if (!received->status) received->status = ended;
  }
  for (int k = 0; k < 2; k++) free(b[k].words);
  return s;
}

dap_status dap_group_sides_create(dap_context *context, dap_status status, const dap_side *from,
                                  const dap_side *to, dap_group_sides *sides, dap_error *err)
{
  matching m = {.context = context, .given = {from, to}, .sides = sides};
  *sides = (dap_group_sides){.sender = -1};
  DAP_TRY(find_givers(&m, status, err));
  return exchange_sides(&m, err);
}

void dap_group_sides_release(dap_group_sides *sides)
{
  for (int k = 0; k < 2; k++) {
    dap_layout_destroy(&sides->received.layouts[k]);
    free(sides->received.ranks[k]);
    free(sides->ranks[k]);
  }
}
