/* Reserves workspace, reduces over the processes, and reads the info of routines. No process goes into a
 * routine by itself, because every step before it fails on every process or on none. */
#include "room_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most = sizeof(dap_scalapack_int) == 4 ? INT32_MAX : INT64_MAX;

dap_status dap_linalg_check_work(const dap_linalg_call *call, int64_t count)
{
  DAP_REQUIRE(count >= 0 && count <= most, call->err, DAP_ERR_RANGE,
              "workspace exceeds ScaLAPACK's integers of %d bits", (int)(8 * sizeof(dap_scalapack_int)));
  return DAP_OK;
}

dap_status dap_linalg_work(dap_linalg_call *call, int64_t count, dap_dtype dtype, void *space)
{
  dap_status status = DAP_OK;
  void *made = NULL;
  if (call->block_count == DAP_LINALG_BLOCKS)
    status = dap_fail(call->err, DAP_ERR_LIBRARY, "more than %d pieces of workspace", DAP_LINALG_BLOCKS);
  if (!status) status = dap_linalg_check_work(call, count);
  if (!status) {
    made = calloc(count > 0 ? (size_t)count : 1, (size_t)dap_dtype_size(dtype));
    if (!made)
      status = dap_fail(call->err, DAP_ERR_NOMEM, "no memory for %" PRId64 " elements of workspace", count);
    else
      call->blocks[call->block_count++] = made;
  }
  memcpy(space, &made, sizeof made);                                /* to a pointer of any type */
  if (!status) status = dap_linalg_headroom_check(call, call->err); /* besides the workspace */
  return dap_agree(call->comm, status, call->err);
}

void dap_linalg_work_free(dap_linalg_call *call, int count)
{
  while (call->block_count > count) free(call->blocks[--call->block_count]);
}

/* A float beyond 2^24 may have been rounded down. */
int64_t dap_linalg_asked(dap_dtype dtype, const void *asked)
{
  const bool is_float = dtype == DAP_F4 || dtype == DAP_C8;
  const double value =
      is_float ? (double)nextafterf(*(const float *)asked, INFINITY) : *(const double *)asked;
  return value >= 0 && value <= (double)most / 2 ? (int64_t)ceil(value) : -1;
}

/* Reserves as many elements as the answer in *space says. It may have wrapped if its bound exceeds the
 * routine's integers. */
static dap_status make_room(dap_linalg_call *call, dap_dtype dtype, int64_t bound, int64_t more, void **space,
                            dap_scalapack_int *lwork)
{
  const int64_t answer = dap_linalg_asked(dtype, *space), count = answer < 0 ? -1 : answer + more;
  DAP_TRY(dap_linalg_work(call, bound > most ? -1 : count, dtype, space));
  *lwork = (dap_scalapack_int)(count > 0 ? count : 1);
  return DAP_OK;
}

static dap_status make_all_room(dap_linalg_call *call, dap_workspace *w)
{
  char what[64];
  (void)snprintf(what, sizeof what, "%s, asked for its workspace", w->routine);
  DAP_TRY(dap_linalg_info(call, what, &w->info));
  DAP_TRY(make_room(call, call->lib->dtype, w->bound, w->more, &w->work, &w->lwork));
  return w->has_reals ? make_room(call, call->lib->real, w->bound, 0, &w->rwork, &w->lrwork) : DAP_OK;
}

bool dap_workspace_next(dap_linalg_call *call, dap_workspace *w)
{
  switch (w->calls++) {
  case 0:
    w->work = w->answers[0], w->rwork = w->answers[1];
    w->lwork = w->lrwork = -1;
    return true;
  case 1:
    w->status = make_all_room(call, w);
    return !w->status;
  default:
    w->status = w->may_fail ? dap_linalg_info(call, w->routine, &w->info)
                            : dap_linalg_succeeds(call, w->routine, w->info);
    return false;
  }
}

dap_status dap_linalg_mpi(dap_linalg_call *call, int code, const char *what)
{
  const dap_status status =
      code == MPI_SUCCESS ? DAP_OK : dap_fail(call->err, DAP_ERR_LIBRARY, "%s failed", what);
  return dap_agree(call->comm, status, call->err);
}

static dap_status check_count(dap_linalg_call *call, int64_t count)
{
  DAP_REQUIRE(count <= INT_MAX, call->err, DAP_ERR_RANGE, "%" PRId64 " numbers exceed MPI's counts", count);
  return DAP_OK;
}

dap_status dap_linalg_sums(dap_linalg_call *call, double values[], int64_t count)
{
  const bool is_root = call->rank == 0;
  DAP_TRY(check_count(call, count));
  DAP_TRY(dap_linalg_mpi(call,
                         MPI_Reduce(is_root ? MPI_IN_PLACE : values, is_root ? values : NULL, (int)count,
                                    MPI_DOUBLE, MPI_SUM, 0, call->comm),
                         "MPI_Reduce"));
  return dap_linalg_mpi(call, MPI_Bcast(values, (int)count, MPI_DOUBLE, 0, call->comm), "MPI_Bcast");
}

dap_status dap_linalg_reduce(dap_linalg_call *call, void *values, int64_t count, MPI_Datatype type, MPI_Op op)
{
  DAP_TRY(check_count(call, count));
  return dap_linalg_mpi(call, MPI_Allreduce(MPI_IN_PLACE, values, (int)count, type, op, call->comm),
                        "MPI_Allreduce");
}

dap_status dap_linalg_most(dap_linalg_call *call, double values[], int64_t count)
{
  return dap_linalg_reduce(call, values, count, MPI_DOUBLE, MPI_MAX);
}

dap_status dap_linalg_spread(dap_linalg_call *call, void *numbers, int64_t count)
{
  MPI_Datatype type = dap_dtype_mpi(call->lib->real);
  DAP_TRY(check_count(call, count));
  return dap_linalg_mpi(call, MPI_Bcast(numbers, (int)count, type, 0, call->comm), "MPI_Bcast");
}

dap_status dap_linalg_info(dap_linalg_call *call, const char *routine, dap_scalapack_int *info)
{
  enum { OF_ALL, OF_POSITIVE, COUNT };
  int64_t least[COUNT] = {[OF_ALL] = *info, [OF_POSITIVE] = *info > 0 ? *info : INT64_MAX};
  DAP_TRY(dap_linalg_reduce(call, least, COUNT, MPI_INT64_T, MPI_MIN));
  DAP_REQUIRE(least[OF_ALL] >= 0, call->err, DAP_ERR_LIBRARY, "%s: its info is %" PRId64, routine,
              least[OF_ALL]);
  *info = least[OF_POSITIVE] == INT64_MAX ? 0 : (dap_scalapack_int)least[OF_POSITIVE];
  return DAP_OK;
}

dap_status dap_linalg_check_info(dap_linalg_call *call, const char *routine, dap_scalapack_int info,
                                 const char *before, const char *after)
{
  DAP_TRY(dap_linalg_info(call, routine, &info));
  if (info == 0) return DAP_OK;
  return dap_linalg_numeric(call, info, "%s %" PRId64 "%s", before, (int64_t)info, after);
}

dap_status dap_linalg_succeeds(dap_linalg_call *call, const char *routine, dap_scalapack_int info)
{
  DAP_TRY(dap_linalg_info(call, routine, &info));
  DAP_REQUIRE(info == 0, call->err, DAP_ERR_LIBRARY, "%s: its info is %" PRId64, routine, (int64_t)info);
  return DAP_OK;
}

dap_status dap_linalg_numeric(dap_linalg_call *call, int64_t info, const char *format, ...)
{
  char text[DAP_ERROR_TEXT];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  call->report->info = info;
  return dap_fail(call->err, DAP_ERR_NUMERIC, "%s", text);
}
