/* Saves and loads arrays in files. */
#include "fortran_impl.h"

#include <dapbridge/file_format.h>
#include <string.h>

/* dap_file_options as files.f90 has it: part and shape are arguments of the procedures. */
typedef struct dap_f_file_options {
  int mode, dtype, writers;
  bool lossy, swapped, drop_layout;
  char order;
  int64_t offset, align, memory_bytes;
  const dap_file_format *format;
} dap_f_file_options;

/* Arguments of a procedure besides its array. */
typedef struct dap_f_given {
  dap_f_file_options options;
  dap_f_part part;
  int nshape; /* -1: there is no shape */
  int64_t shape[DAP_MAX_NDIM];
} dap_f_given;

/* These arguments as C takes them. */
typedef struct chosen {
  dap_file_options options; /* points into the others */
  dap_f_chosen part;
  int64_t part_shape[DAP_MAX_NDIM];
} chosen;

/* Returns the order of the array in the file. If the program gives none, it is Fortran's, or C's if the
 * format has no other. */
static dap_order order_of(const dap_f_file_options *given)
{
  if (given->order != ' ') return (dap_order)given->order;
  return given->format && given->format->has_datasets ? DAP_ORDER_C : DAP_ORDER_F;
}

/* A part whose numbers do not match the dimensions becomes one that is refused on all processes. `layout`:
 * the array's layout, which has the file's number of dimensions unless the part has its own axes. */
static void set_part(chosen *c, const dap_f_part *part, const dap_layout *layout)
{
  if (dap_f_part_choose(part, part->naxes < 0 ? layout : NULL, &c->part, NULL)) {
    c->options.part = (dap_part){.naxes = -1};
    return;
  }
  c->options.part = c->part.part;
  if (part->nshape < 0) return;
  memcpy(c->part_shape, part->shape, (size_t)part->nshape * sizeof *part->shape);
  c->options.part.shape = c->part_shape;
}

/* `c` is pointed into, so it stays where it is. */
static const dap_file_options *choose(const dap_f_given *given, const dap_layout *layout, chosen *c)
{
  const dap_f_file_options *o = &given->options;
  *c = (chosen){.options = {.format = o->format,
                            .mode = (dap_file_mode)o->mode,
                            .dtype = (dap_dtype)o->dtype,
                            .lossy = o->lossy,
                            .order = order_of(o),
                            .swapped = o->swapped,
                            .offset = o->offset,
                            .ndim = given->nshape >= 0 ? given->nshape : 0,
                            .shape = given->nshape >= 0 ? given->shape : NULL,
                            .writers = o->writers,
                            .align = o->align,
                            .memory_bytes = o->memory_bytes,
                            .drop_layout = o->drop_layout}};
  set_part(c, &given->part, layout);
  return &c->options;
}

static dap_darray darray_of(dap_f_array *array)
{
  if (!array) return (dap_darray){0};
  return (dap_darray){array->layout, dap_f_array_has_part(array) ? &array->local : NULL};
}

dap_status dap_f_file_save(const MPI_Fint *comm, dap_f_array *array, const char *path,
                           const dap_f_given *given, dap_error *err)
{
  chosen c;
  const dap_darray from = darray_of(array);
  return dap_file_save(dap_f_comm(comm), from, path, choose(given, from.layout, &c), err);
}

dap_status dap_f_file_load(const MPI_Fint *comm, dap_f_array *array, const char *path,
                           const dap_f_given *given, dap_error *err)
{
  chosen c;
  const dap_darray to = darray_of(array);
  return dap_file_load(dap_f_comm(comm), to, path, choose(given, to.layout, &c), err);
}

/* If a variable cannot hold the layout, this process has an error, which all processes learn. */
dap_status dap_f_file_query(const MPI_Fint *comm, const char *path, const dap_f_given *given,
                            dap_file_info *info, void **variable, dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  chosen o;
  dap_layout *layout = NULL;
  dap_f_put(variable, NULL);
  dap_status status = dap_file_query(c, path, choose(given, NULL, &o), info, &layout, err);
  if (status) return status;
  status = dap_agree(c, dap_f_layout_put(variable, layout, err), err);
  if (status) dap_f_put(variable, NULL);
  return status;
}
