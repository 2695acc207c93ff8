/* Two processes reduce values through their boards. See weak_plan.h. */
#include "weak.h"
#include "weak_plan.h"

#include <string.h>

enum { ROUNDS = 4 };

static struct {
  dap_board boards[2]; /* what both see */
  dap_context contexts[2], fresh[2];
  dap_memory memory;
  char *parts[2];
} here;

void weak_board_prepare(void)
{
  here.memory = (dap_memory){.parts = here.parts, .size = 2};
  for (int rank = 0; rank < 2; rank++) {
    here.parts[rank] = (char *)&here.boards[rank];
    here.fresh[rank] =
        (dap_context){.comm = MPI_COMM_SELF,
                      .rank = rank,
                      .nprocs = 2,
                      .node = {.comm = MPI_COMM_SELF, .rank = rank, .size = 2},
                      .pool = {.segments = &here.memory, .segment_count = 1, .node_rank = rank}};
  }
  weak_forget();
  weak_share(here.boards, sizeof here.boards);
  weak_atomic(&here.boards[0].round, 0, "the first's round");
  weak_atomic(&here.boards[1].round, 1, "the second's round");
}

void weak_board_reset(void)
{
  memset(here.boards, 0, sizeof here.boards);
  memcpy(here.contexts, here.fresh, sizeof here.fresh);
}

void weak_board_run(int process)
{
  for (int round = 0; round < ROUNDS; round++) {
    int64_t words[] = {10 * round + process, 10 * round - process};
    weak_expect(dap_context_reduce(&here.contexts[process], DAP_REDUCE_MIN, words, 2, NULL) == DAP_OK,
                "a reduction fails");
    weak_expect(words[0] == 10 * round && words[1] == 10 * round - 1, "a reduction's words");
  }
}
