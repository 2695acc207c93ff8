/* Counts the objects that Fortran variables hold. */
#include "fortran_impl.h"

#include <stdlib.h>

void *dap_f_new(const dap_f_kind *kind, dap_error *err)
{
  dap_f_object *object = calloc(1, kind->bytes);
  if (!object) {
    dap_fail(err, DAP_ERR_NOMEM, "no memory for a %s", kind->name);
    return NULL;
  }
  object->kind = kind;
  atomic_init(&object->references, 1);
  return object;
}

void *dap_f_keep(void *object)
{
  if (object) atomic_fetch_add(&((dap_f_object *)object)->references, 1);
  return object;
}

void dap_f_drop(void *kept)
{
  dap_f_object *object = kept;
  if (object && atomic_fetch_sub(&object->references, 1) == 1 && object->kind->end(object)) free(object);
}

/* The variable's address (holders.c), not its contents, tells which variable holds an object. The reason is
 * that compilers copy variables without calling the library: in allocate(b, source=a), for a function's
 * result, and in gfortran 12 before it assigns a program's own type. Such a copy refers to the object too,
 * but has no share in it, so its end takes nothing away.
 *
 * The old object is dropped last, because the new one may be the same or need it. */
void dap_f_put(void **variable, void *object)
{
  void *old = dap_f_hold(variable, object);
  *variable = object;
  dap_f_drop(old);
}

/* A variable that holds nothing is not touched, because gfortran 12 finalises members that are arrays of
 * fixed extents at invalid addresses (it passes no stride). */
void dap_f_release(void **variable)
{
  void *old = dap_f_hold(variable, NULL);
  if (old) *variable = NULL;
  dap_f_drop(old);
}

void dap_f_share(void **variable, void *object)
{
  dap_f_put(variable, dap_f_keep(object));
}

size_t dap_f_describe(const void *object, char *text, size_t capacity)
{
  if (object) return ((const dap_f_object *)object)->kind->describe(object, text, capacity);
  if (capacity > 0) text[0] = '\0';
  return 0;
}
