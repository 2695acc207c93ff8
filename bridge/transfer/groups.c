/* Makes the sides of a plan between the two groups of an intercommunicator. Each group brings the side that
 * it holds. Both become sides of the communicator of both groups, so that the plan is made like any other. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

static const char *const side_names[] = {"from", "to"};

typedef struct matching {
  dap_context *context;     /* borrowed */
  const dap_side *given[2]; /* from and to. NULL or without a layout: other processes have it */
  dap_group_sides *sides;   /* the result */
  int64_t first[2][2];      /* [side][group] the lowest rank of both that gives the layout; INT_MAX: none */
} matching;

static bool is_given(const matching *m, int k)
{
  return m->given[k] && m->given[k]->layout;
}

/* Checks the side, and translates its ranks, which are those of this process's group. */
static dap_status check_given(matching *m, int k, dap_error *err)
{
  const dap_groups *groups = &m->context->groups;
  const dap_side *side = m->given[k];
  const int size = groups->size[groups->own];
  if (!is_given(m, k)) return DAP_OK;
  DAP_TRY(dap_layout_check(side->layout, err));
  const int count = side->layout->nprocs;
  DAP_REQUIRE(count <= size, err, DAP_ERR_ARG, "%s: its layout has %d processes, the group that brings it %d",
              side_names[k], count, size);
  if (side->ranks) DAP_TRY(dap_ranks_check(side->ranks, count, size, side_names[k], "group", err));
  int *ranks = m->sides->ranks[k] = malloc((size_t)count * sizeof *ranks);
  DAP_REQUIRE(ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", count);
  const int first = groups->own == 0 ? 0 : groups->size[0];
  for (int i = 0; i < count; i++) ranks[i] = first + (side->ranks ? side->ranks[i] : i);
  return DAP_OK;
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

/* Finds the processes that give the layouts. Collective; agreed. */
static dap_status find_givers(matching *m, dap_error *err)
{
  const dap_context *c = m->context;
  dap_status s = DAP_OK;
  for (int k = 0; k < 2 && !s; k++) s = check_given(m, k, err);
  dap_agreement a = {.function = "dap_plan_create", .status = s};
  for (int k = 0; k < 2; k++)
    for (int g = 0; g < 2; g++) m->first[k][g] = is_given(m, k) && g == c->groups.own ? c->rank : INT_MAX;
  memcpy(a.least, m->first, sizeof m->first);
  DAP_TRY(dap_agree_all(c->comm, &a, err));
  memcpy(m->first, a.least, sizeof m->first);
  s = find_sender(m, err);
  return s ? dap_agree(c->comm, s, err) : DAP_OK;
}

/* Starts to send side k from the first process that has it. Collective; not agreed. */
static dap_status send_side(const matching *m, int k, dap_side_message *message, dap_error *err)
{
  const dap_context *c = m->context;
  *message = (dap_side_message){.root = (int)(m->first[k][0] < INT_MAX ? m->first[k][0] : m->first[k][1])};
  return dap_side_message_send(c->comm, c->rank, m->given[k], m->sides->ranks[k], message, err);
}

static dap_status receive_side(const matching *m, int k, dap_side_message *message, dap_error *err)
{
  dap_group_sides *sides = m->sides;
  const bool has_side = is_given(m, k);
  const dap_status s =
      dap_side_message_receive(m->context->comm, message, has_side ? NULL : &sides->received.layouts[k],
                               &sides->received.ranks[k], err);
  sides->side[k] = has_side
                       ? *m->given[k]
                       : dap_side_message_side(message, sides->axes[k], sides->start[k], sides->shape[k]);
  sides->side[k].ranks = sides->ranks[k];
  return s;
}

/* Exchanges both sides. A failure to receive one goes to sides->received, because others may have
 * succeeded. Collective; all other errors are agreed. */
static dap_status exchange_sides(const matching *m, dap_error *err)
{
  dap_side_message b[2];
  dap_received_sides *received = &m->sides->received;
  dap_status s = DAP_OK;
  for (int k = 0; k < 2; k++) {
    const dap_status began = send_side(m, k, &b[k], s ? NULL : err);
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

dap_status dap_group_sides_create(dap_context *context, const dap_side *from, const dap_side *to,
                                  dap_group_sides *sides, dap_error *err)
{
  matching m = {.context = context, .given = {from, to}, .sides = sides};
  *sides = (dap_group_sides){.sender = -1};
  DAP_TRY(find_givers(&m, err));
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
