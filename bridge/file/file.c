/* Saves, loads and describes arrays in files. Each function has its steps in their order. */
#include "file_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements -------------------------------------------------------------------------------------- */

static bool is_writer(const dap_file_call *call)
{
  return call->writers.self >= 0;
}

/* Checks that this writer sees the file that rank 0 has. */
static dap_status check_visible(const dap_file_call *call, dap_error *err)
{
  bool exists;
  int64_t bytes;
  if (call->access == DAP_FILE_CREATE && call->format->has_datasets) return DAP_OK;
  DAP_TRY(dap_posix_look(call->name.file, call->path, &exists, &bytes, err));
  DAP_REQUIRE(
      exists && bytes == call->bytes, err, DAP_ERR_FILE,
      "%.300s: this process does not see the file that rank 0 has: all nodes must share its directory",
      call->path);
  return DAP_OK;
}

/* Opens the file on the writers. */
static dap_status open_file(dap_file_call *call, dap_error *err)
{
  dap_status s = is_writer(call) ? check_visible(call, err) : DAP_OK;
  DAP_TRY(dap_file_agree(call, s, err));
  if (is_writer(call))
    s = call->format->open(call->format, call->writers.comm, &call->name, call->access, call->steps,
                           call->layout, &call->info, &call->state, err);
  return dap_file_tell(call, s, &call->info.offset, sizeof call->info.offset, err);
}

static dap_status close_file(dap_file_call *call, dap_status status, dap_error *err)
{
  dap_status s = DAP_OK;
  dap_error later = {0};
  if (call->state) s = call->format->close(call->state, status != DAP_OK, status ? &later : err);
  call->state = NULL;
  return dap_file_agree(call, status ? status : s, err);
}

/* Writes a line about the call to the log. */
static void tell(const dap_file_call *call, double seconds)
{
  if (!dap_log_is_on()) return;
  int64_t count = 1;
  for (int k = 0; k < call->array.ndim; k++) count *= call->array.shape[k];
  dap_log("file %s: %.300s: %" PRId64 " elements %s, %d writers, %.4f s", call->saves ? "saved" : "loaded",
          call->path, count, call->is_direct ? "directly" : "by plans", call->writers.count, seconds);
}

/* Moves all elements between the array and the file. */
static dap_status move_elements(dap_file_call *call, dap_error *err)
{
  const double begun = MPI_Wtime();
  DAP_TRY(dap_file_find_direct(call, err));
  DAP_TRY(dap_file_find_writers(call, err));
  dap_status s = open_file(call, err);
  if (!s) s = call->is_direct ? dap_file_move_direct(call, err) : dap_file_move(call, err);
  s = close_file(call, s, err);
  if (!s) tell(call, MPI_Wtime() - begun);
  return s;
}

/* ---- save and load --------------------------------------------------------------------------------- */

/* Writes a new file, which replaces the old one as a whole. */
static dap_status replace_file(dap_file_call *call, dap_error *err)
{
  dap_replacement replacement = {0};
  dap_status s = dap_replacement_begin(call, &replacement, err);
  if (!s) s = move_elements(call, err);
  return dap_replacement_end(call, &replacement, s, err);
}

/* Saves or loads, once the call has begun. */
static dap_status save_or_load(dap_file_call *call, dap_error *err)
{
  DAP_TRY(dap_file_find_target(call, err));
  DAP_TRY(dap_file_find_axes(call, err));
  const bool is_new = call->saves && call->options.mode == DAP_FILE_REPLACE;
  return is_new ? replace_file(call, err) : move_elements(call, err);
}

static dap_status act(dap_file_call *call, const dap_file_options *options, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  dap_status s = dap_file_begin(call, options, err);
  if (!s) s = save_or_load(call, err);
  dap_file_end(call);
  return s;
}

dap_status dap_file_save(MPI_Comm comm, dap_darray array, const char *path, const dap_file_options *options,
                         dap_error *err)
{
  dap_file_call call = {.function = "dap_file_save",
                        .saves = true,
                        .has_array = true,
                        .comm = comm,
                        .local = array,
                        .path = path,
                        .steps = -1};
  return act(&call, options, err);
}

dap_status dap_file_load(MPI_Comm comm, dap_darray array, const char *path, const dap_file_options *options,
                         dap_error *err)
{
  dap_file_call call = {.function = "dap_file_load",
                        .has_array = true,
                        .comm = comm,
                        .local = array,
                        .path = path,
                        .steps = -1};
  return act(&call, options, err);
}

/* ---- query ----------------------------------------------------------------------------------------- */

static dap_status query(dap_file_call *call, dap_layout **layout, dap_error *err)
{
  DAP_TRY(dap_file_find_target(call, err));
  const dap_status s = dap_layout_text_use(call, layout, err);
  if (!s && !call->info.has_layout)
    dap_log("file: %.300s: %s: blocks of the first axis", call->path, call->info.note);
  return dap_file_agree_part(call, s, err);
}

dap_status dap_file_query(MPI_Comm comm, const char *path, const dap_file_options *options,
                          dap_file_info *info, dap_layout **layout, dap_error *err)
{
  dap_error own = {0};
  dap_layout *made = NULL;
  err = err ? err : &own;
  dap_file_call call = {.function = "dap_file_query", .comm = comm, .path = path, .steps = -1};
  if (layout) *layout = NULL;
  if (info) *info = (dap_file_info){0};
  dap_status s = dap_file_begin(&call, options, err);
  if (!s) s = query(&call, &made, err);
  if (!s && info) *info = call.info;
  if (!s && layout)
    *layout = made;
  else
    dap_layout_destroy(&made);
  dap_file_end(&call);
  return s;
}
