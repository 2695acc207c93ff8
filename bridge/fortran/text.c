/* Describes layouts in words, and writes arrays and layouts as documents to a file of a given name. Process 0
 * writes the file, and all processes learn the outcome. */
#include "fortran_impl.h"

#include <dapbridge/comm.h>
#include <dapbridge/export.h>
#include <dapbridge/json.h>
#include <dapbridge/parse.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- words --------------------------------------------------------------------------------------- */

dap_status dap_f_layout_parse(const char *text, void **variable, dap_error *err)
{
  dap_layout *layout = NULL;
  const dap_status status = dap_layout_parse(text, &layout, err);
  if (!status) return dap_f_layout_put(variable, layout, err);
  dap_f_put(variable, NULL);
  return status;
}

size_t dap_f_layout_format(const dap_f_layout *layout, char *text, size_t capacity)
{
  if (layout) return dap_layout_format(layout->layout, text, capacity);
  if (capacity > 0) text[0] = '\0';
  return 0;
}

/* ---- one process's document ------------------------------------------------------------------------ */

static dap_status check_part(const dap_f_array *array, dap_error *err)
{
  if (!array) return dap_fail(err, DAP_ERR_ARG, "the array is not set");
  if (dap_f_array_has_part(array)) return DAP_OK;
  return dap_fail(err, DAP_ERR_ARG, "the array has no part on this process");
}

dap_status dap_f_array_json(const dap_f_array *array, char *text, size_t capacity, size_t *length,
                            dap_error *err)
{
  *length = 0;
  const dap_status status = check_part(array, err);
  return status ? status : dap_array_json(&array->local, text, capacity, length, err);
}

/* ---- that of all ------------------------------------------------------------------------------------- */

/* Opens a stream without a name for the export, so that an existing file is kept if the export is refused.
 * Returns process 0's stream, and NULL on the others. `status`: the status of this process so far.
 * Collective. */
static dap_status begin_export(MPI_Comm comm, const char *function, dap_status status, FILE **stream,
                               dap_error *err)
{
  int rank = 0;
  *stream = NULL;
  status = dap_agree_call(comm, function, status, err);
  if (status) return status;
  if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_rank failed");
  else if (rank == 0) {
    *stream = tmpfile();
    if (!*stream) status = dap_fail(err, DAP_ERR_LIBRARY, "no temporary file: %s", strerror(errno));
  }
  status = dap_agree(comm, status, err);
  if (status && *stream) (void)fclose(*stream);
  return status;
}

static dap_status fail(const char *what, const char *file, dap_error *err)
{
  return dap_fail(err, DAP_ERR_LIBRARY, "%s cannot be %s: %s", file, what,
                  errno ? strerror(errno) : "output error");
}

static dap_status copy(FILE *from, const char *file, bool appends, dap_error *err)
{
  char piece[4096];
  size_t length;
  dap_status status = DAP_OK;
  errno = 0;
  FILE *to = fopen(file, appends ? "a" : "w");
  if (!to) return fail("opened", file, err);
  rewind(from);
  while (!status && (length = fread(piece, 1, sizeof piece, from)) > 0)
    if (fwrite(piece, 1, length, to) < length) status = fail("written to", file, err);
  if (!status && ferror(from)) status = fail("read", "the temporary file", err);
  if (fclose(to) != 0 && !status) status = fail("written to", file, err);
  return status;
}

/* `status`: the outcome of the export, the same on all processes. Collective. */
static dap_status end_export(MPI_Comm comm, FILE *stream, dap_status status, const char *file, bool appends,
                             dap_error *err)
{
  dap_status own = DAP_OK;
  if (stream && !status) own = copy(stream, file, appends, err);
  if (stream) (void)fclose(stream);
  return status ? status : dap_agree(comm, own, err);
}

dap_status dap_f_array_export(const MPI_Fint *comm, const dap_f_array *array, const char *file, bool appends,
                              dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  FILE *stream;
  dap_status status = begin_export(c, "dap_array_export", check_part(array, err), &stream, err);
  if (status) return status;
  status = dap_array_export(c, &array->local, stream, err);
  return end_export(c, stream, status, file, appends, err);
}

dap_status dap_f_layout_export(const MPI_Fint *comm, const char *version, const dap_f_layout *layout,
                               bool has_array, const dap_f_array *array, const char *file, bool appends,
                               dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  FILE *stream;
  dap_status status = has_array ? check_part(array, err) : DAP_OK;
  status = begin_export(c, "dap_layout_export", status, &stream, err);
  if (status) return status;
  const dap_darray of = {dap_f_layout_of(layout), has_array ? &array->local : NULL};
  status = dap_layout_export(c, version, of, stream, err);
  return end_export(c, stream, status, file, appends, err);
}
