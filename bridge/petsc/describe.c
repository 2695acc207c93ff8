/* A field in words. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text of any length into memory of any capacity. */
typedef struct writer {
  char *text;
  size_t capacity, length;
} writer;

static DAP_PRINTF(2, 3) void put(writer *w, const char *format, ...)
{
  const bool room = w->length < w->capacity;
  va_list arguments;
  va_start(arguments, format);
  const int n =
      vsnprintf(room ? w->text + w->length : NULL, room ? w->capacity - w->length : 0, format, arguments);
  va_end(arguments);
  if (n > 0) w->length += (size_t)n;
}

static void put_grid(writer *w, const dap_grid *grid)
{
  const dap_ghosted_box *box = &grid->local;
  const int ndim = box->grid_ndim;
  put(w, "DMDA of ");
  for (int k = 0; k < ndim; k++) put(w, "%s%" PRId64, k ? " x " : "", box->axis[k].size);
  put(w, " points on ");
  for (int k = 0; k < ndim; k++) put(w, "%s%d", k ? " x " : "", box->axis[k].procs);
  put(w, " processes%s, stencil width %" PRId64 " (%s)", grid->own_ranges ? "" : ", evenly", grid->width,
      grid->star ? "star" : "box");
  if (box->ndim > ndim) put(w, ", %" PRId64 " degrees of freedom", dap_box_dof(box));
  put(w, "%s%s\n", grid->order == DAP_ORDER_F ? ", x is dim 0" : "",
      dap_layout_is_row_major(box->layout) ? "" : ", ranks in the array's order");
}

static void put_vector(writer *w, const char *name, bool shared, const char *reason)
{
  const bool wanted = reason[0] != '\0' && strcmp(reason, dap_not_wanted) != 0;
  put(w, "%s vector %s%s%s\n", name,
      shared   ? "shared"
      : wanted ? "moved"
               : dap_not_wanted,
      wanted ? ": " : "", wanted ? reason : "");
}

size_t dap_petsc_field_describe(const dap_petsc_field *field, char *text, size_t capacity)
{
  writer w = {.text = text, .capacity = text ? capacity : 0};
  if (w.capacity > 0) text[0] = '\0';
  if (!field) return 0;
  if (field->state && field->state->kit) put_grid(&w, &field->state->kit->grid);
  put_vector(&w, "local", field->shared_local, field->reason_local);
  put_vector(&w, "global", field->shared_global, field->reason_global);
  put(&w, "bytes moved: %" PRId64 "\n", field->moved_bytes);
  return w.length;
}
