/* Remembers the earlier small calls of a communicator, and decides when plans for them pay. A call by a plan
 * needs an agreement, because a process without a part of A or B cannot know which call it is. Everything is
 * counted from what is the same on all processes (M, N, the element size, agreements), and so is each
 * decision. */
#include "gemr2d_impl.h"
#include "hash.h"

#include <stdlib.h>

/* Costs and savings in microseconds of a usual machine. A call of ScaLAPACK takes one, and another one for
 * each 4 KiB. */
enum { FIRST_PAUSE = 4096, AGREEMENT = 4, PLAN = 8, BYTES = 4096 };
enum { CREDIT = 256, SMALL_CREDIT = 32, LEAST_PAUSE = 2048, MOST_PAUSE = 16384 };

/* ---- the history of a communicator -------------------------------------------------------------------- */

/* Histories are attributes of communicators. BLACS is not thread-safe, so no other thread uses this. */
static struct {
  int key;
  dap_gemr2d_history *last; /* the list of all */
} here = {.key = MPI_KEYVAL_INVALID};

static int forget(MPI_Comm comm, int key, void *history, void *extra)
{
  (void)comm, (void)key, (void)extra;
  dap_gemr2d_history **link = &here.last;
  while (*link && *link != history) link = &(*link)->before;
  if (*link) *link = (*link)->before;
  free(history);
  return MPI_SUCCESS;
}

/* Is called by MPI_Finalize, which does not end the attributes of communicators that a program has not
 * freed. */
static int forget_all(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)attribute, (void)extra;
  while (here.last && MPI_Comm_delete_attr(here.last->comm, here.key) == MPI_SUCCESS) continue;
  return MPI_Comm_free_keyval(&here.key);
}

/* Makes the key, and has MPI_Finalize call forget_all(). MPI frees the other key when its attribute ends. */
static bool make_key(void)
{
  int end = MPI_KEYVAL_INVALID;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &here.key, NULL) != MPI_SUCCESS) return false;
  bool hangs = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &end, NULL) == MPI_SUCCESS;
  hangs = hangs && MPI_Comm_set_attr(MPI_COMM_SELF, end, &here) == MPI_SUCCESS;
  if (end != MPI_KEYVAL_INVALID) (void)MPI_Comm_free_keyval(&end);
  if (!hangs) (void)MPI_Comm_free_keyval(&here.key);
  return hangs;
}

static dap_gemr2d_history *make(MPI_Comm comm)
{
  dap_gemr2d_history *history = malloc(sizeof *history);
  if (!history) return NULL;
  *history = (dap_gemr2d_history){
      .pause = FIRST_PAUSE, .next_pause = LEAST_PAUSE, .credit = CREDIT, .comm = comm, .before = here.last};
  if (MPI_Comm_set_attr(comm, here.key, history) != MPI_SUCCESS) {
    free(history);
    return NULL;
  }
  here.last = history;
  return history;
}

dap_status dap_gemr2d_history_of(MPI_Comm comm, dap_gemr2d_history **history, dap_error *err)
{
  void *found = NULL;
  int is_there = 0;
  DAP_REQUIRE(here.key != MPI_KEYVAL_INVALID || make_key(), err, DAP_ERR_LIBRARY,
              "MPI has no key for attributes");
  DAP_REQUIRE(MPI_Comm_get_attr(comm, here.key, &found, &is_there) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_get_attr failed");
  *history = is_there ? found : NULL;
  if (*history || dap_gemr2d_takes_plans_only()) return DAP_OK;
  *history = make(comm);
  DAP_REQUIRE(*history, err, DAP_ERR_NOMEM, "no memory to count calls");
  return DAP_OK;
}

/* ---- calls -------------------------------------------------------------------------------------------- */

uint32_t dap_gemr2d_history_add(dap_gemr2d_history *history, const dap_gemr2d_call *call)
{
  const uint64_t mine = dap_hash(0, call, sizeof *call);
  uint32_t alike = 0;
  for (int i = 0; i < DAP_GEMR2D_CALLS; i++) alike |= (uint32_t)(history->calls[i] == mine) << i;
  history->calls[history->next] = mine;
  history->next = (history->next + 1) % DAP_GEMR2D_CALLS;
  return alike;
}

/* ---- the rule ----------------------------------------------------------------------------------------- */

/* The first calls go to ScaLAPACK, until they have taken much longer than a context and a plan. Then the
 * processes agree in each call. Agreements and new plans use up a credit, which runs of plans refill. Without
 * credit there is a pause, in which all calls go to ScaLAPACK without an agreement, and then a small credit.
 * Each pause is twice as long as the last one, until plans have refilled the credit. */

dap_gemr2d_step dap_gemr2d_history_step(dap_gemr2d_history *history, int64_t bytes)
{
  const int64_t takes = 1 + bytes / BYTES;
  if (history->pause <= 0) return DAP_GEMR2D_AGREE;
  history->pause -= takes;
  return history->pause <= DAP_GEMR2D_CALLS * takes ? DAP_GEMR2D_REMEMBER : DAP_GEMR2D_PASS;
}

bool dap_gemr2d_history_may_plan(const dap_gemr2d_history *history)
{
  return history->credit >= PLAN + AGREEMENT;
}

/* A plan saves about as much as ScaLAPACK takes for the bytes, without the agreement. */
void dap_gemr2d_history_count(dap_gemr2d_history *history, int64_t bytes, bool has_plan, bool makes_plan)
{
  const int64_t cost = makes_plan ? AGREEMENT + PLAN : AGREEMENT;
  history->credit += has_plan ? bytes / BYTES - 1 : -cost;
  if (history->credit < AGREEMENT) {
    history->credit = SMALL_CREDIT;
    history->pause = history->next_pause;
    if (history->next_pause < MOST_PAUSE) history->next_pause *= 2;
  } else if (history->credit >= CREDIT) {
    history->credit = CREDIT;
    history->next_pause = LEAST_PAUSE;
  }
}
