/* Moves the matrices of a call: takes views of them as the library does. */
#include "fail.h"
#include "linalg.h"

static void take(const linalg_row *row, linalg_job *job, int i, const dap_scalapack_matrix *like)
{
  const linalg_operand *o = &job->operands[i];
  const char op = row->ops ? row->ops[i] : ' ';
  dap_scalapack_options options = {.sharing = DAP_SHARE_NEVER, .op = op == ' ' ? 0 : op};
  dap_error err;
  if (like) /* the view gets the same blocks */
    options.aligned_with = like;
  else if (row->routine)
    options.routine = row->routine;
  else
    options.needs.square_blocks = true;
  bench_require(
      dap_scalapack_get(MPI_COMM_WORLD, linalg_array(job, i), o->access, &options, &job->views[i], &err),
      &err);
}

static bool is_kept(const linalg_row *row)
{
  return row->before && linalg_has_moves(row);
}

void linalg_move_before(const linalg_row *row, linalg_job *job)
{
  if (is_kept(row)) take(row, job, 0, NULL);
}

void linalg_move(const linalg_row *row, linalg_job *job)
{
  const int first = is_kept(row);
  dap_error err;
  if (!linalg_has_moves(row)) return;
  for (int i = first; i < LINALG_OPERANDS; i++)
    if (job->operands[i].live && job->operands[i].is_matrix) take(row, job, i, i ? &job->views[0] : NULL);
  for (int i = LINALG_OPERANDS - 1; i >= first; i--)
    bench_require(dap_scalapack_restore(&job->views[i], &err), &err);
}

void linalg_move_after(linalg_job *job)
{
  dap_error err;
  bench_require(dap_scalapack_discard(&job->views[0], &err), &err);
}
