/* Finds the argument that is wrong. It checks what the reference checks, with ScaLAPACK's numbers. */
#include "gemr2d_impl.h"

/* Entries of a descriptor, from 1 on. I and J are arguments of their own. */
enum { CTXT_ = 2, M_ = 3, N_, MB_, NB_, RSRC_, CSRC_, LLD_ };
enum { START = 1, DESC = 3 /* arguments behind A or B */ };

/* Notes a fault, if it is one and comes before the others. */
static void accuse(int *fault, bool is_right, int argument, int entry)
{
  const int number = 100 * argument + entry;
  if (!is_right && number < *fault) *fault = number;
}

static void check_same(const bool same[], int data, int *fault)
{
  accuse(fault, same[DAP_GEMR2D_NPROW] && same[DAP_GEMR2D_NPCOL], data + DESC, CTXT_);
  for (int w = DAP_GEMR2D_M; w <= DAP_GEMR2D_CSRC; w++)
    accuse(fault, same[w], data + DESC, M_ + w - DAP_GEMR2D_M);
  accuse(fault, same[DAP_GEMR2D_I], data + START, 0);
  accuse(fault, same[DAP_GEMR2D_J], data + START + 1, 0);
}

/* Checks the words of an axis. Words of rows and columns alternate. */
static void check_axis(const int64_t words[], int axis, int64_t size, int data, int *fault)
{
  const int64_t procs = words[DAP_GEMR2D_NPROW + axis], extent = words[DAP_GEMR2D_M + axis];
  const int64_t source = words[DAP_GEMR2D_RSRC + axis], first = words[DAP_GEMR2D_I + axis];
  accuse(fault, first >= 1, data + START + axis, 0);
  accuse(fault, extent >= 0 && first - 1 <= extent - size, data + DESC, M_ + axis);
  accuse(fault, words[DAP_GEMR2D_MB + axis] >= 1, data + DESC, MB_ + axis);
  accuse(fault, source >= 0 && source < procs, data + DESC, RSRC_ + axis);
}

/* Checks that each place of the grid has a process of the communicator. */
static void check_places(const dap_gemr2d_facts *facts, int k, int data, int *fault)
{
  const int64_t *words = facts->matrices[k].words;
  const int64_t places = words[DAP_GEMR2D_NPROW] * words[DAP_GEMR2D_NPCOL];
  accuse(fault, places <= facts->nprocs, DAP_GEMR2D_ARG_CONTEXT, 0);
  for (int64_t place = 0; places <= facts->nprocs && place < places; place++)
    accuse(fault, facts->matrices[k].ranks[place] >= 0, data + DESC, CTXT_);
}

/* Counts the rows of the whole matrix on this process: full rounds of blocks, and its share of the last
 * round. */
static int64_t local_rows(const dap_gemr2d_matrix *matrix)
{
  const int64_t *words = matrix->words;
  const int64_t procs = words[DAP_GEMR2D_NPROW], block = words[DAP_GEMR2D_MB], rows = words[DAP_GEMR2D_M];
  const int64_t turn = (matrix->row - words[DAP_GEMR2D_RSRC] + procs) % procs;
  const int64_t blocks = rows / block, rest = blocks % procs;
  const int64_t last = turn < rest ? block : turn == rest ? rows % block : 0;
  return blocks / procs * block + last;
}

/* Returns whether this process has one of the sub-matrix's blocks along an axis. */
static bool has_lines(const dap_gemr2d_matrix *matrix, int axis, int64_t size)
{
  const int64_t *words = matrix->words;
  const int64_t procs = words[DAP_GEMR2D_NPROW + axis], coord = axis == 0 ? matrix->row : matrix->column;
  const int64_t first = words[DAP_GEMR2D_I + axis] - 1, block = words[DAP_GEMR2D_MB + axis];
  const int64_t blocks = (first + size - 1) / block - first / block + 1;
  const int64_t owner = (first / block + words[DAP_GEMR2D_RSRC + axis]) % procs; /* of the first one */
  return (coord - owner + procs) % procs < blocks;
}

/* Returns whether has_lines() can compute with the words. */
static bool is_sound(const dap_gemr2d_matrix *matrix, int axis, int64_t size)
{
  int fault = DAP_GEMR2D_NO_FAULT;
  check_axis(matrix->words, axis, size, 0, &fault);
  return size > 0 && fault == DAP_GEMR2D_NO_FAULT;
}

bool dap_gemr2d_may_have(const dap_gemr2d_matrix *matrix, const int64_t size[2])
{
  for (int axis = 0; axis < 2; axis++)
    if (is_sound(matrix, axis, size[axis]) && !has_lines(matrix, axis, size[axis])) return false;
  return true;
}

/* Checks facts that only this process knows. The words have been checked. */
static void check_own(const dap_gemr2d_facts *facts, const dap_gemr2d_call *call, int k, int data,
                      const void *elements, int *fault)
{
  const dap_gemr2d_matrix *matrix = &call->matrices[k];
  if (!matrix->is_here) return;
  accuse(fault, elements || !dap_gemr2d_may_have(matrix, facts->size), data, 0);
  accuse(fault, matrix->ld >= local_rows(matrix), data + DESC, LLD_);
  const int64_t place = matrix->row * matrix->words[DAP_GEMR2D_NPCOL] + matrix->column;
  accuse(fault, facts->matrices[k].ranks[place] == facts->rank, data + DESC, CTXT_);
}

int dap_gemr2d_check(const dap_gemr2d_facts *facts, const dap_gemr2d_call *call,
                     const dap_gemr2d_arguments *arguments)
{
  int fault = DAP_GEMR2D_NO_FAULT;
  for (int axis = 0; axis < 2; axis++)
    accuse(&fault, facts->same_size[axis] && facts->size[axis] >= 0, DAP_GEMR2D_ARG_M + axis, 0);
  for (int k = 0; k < 2; k++) {
    const int data = k == 0 ? DAP_GEMR2D_ARG_A : DAP_GEMR2D_ARG_B;
    accuse(&fault, facts->matrices[k].is_known, data + DESC, CTXT_);
    if (!facts->matrices[k].is_known) continue;
    check_same(facts->matrices[k].same, data, &fault);
    for (int axis = 0; axis < 2; axis++)
      check_axis(facts->matrices[k].words, axis, facts->size[axis], data, &fault);
    check_places(facts, k, data, &fault);
  }
  if (fault != DAP_GEMR2D_NO_FAULT) return fault;
  check_own(facts, call, 0, DAP_GEMR2D_ARG_A, arguments->a, &fault);
  check_own(facts, call, 1, DAP_GEMR2D_ARG_B, arguments->b, &fault);
  return fault;
}
