/* Objects that Fortran variables hold, counted.
 *
 * Who holds an object is known by the variable's address (holders.c), not by what is in the variable, as
 * compilers copy variables without a word: allocate(b, source=a), a result of a function, and what gfortran
 * 12 does first where it assigns a program's own type. A variable that was copied so is the object as well,
 * but has no share in it, so that its end takes nothing away. */
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

/* The old one last: what is given may be the same, or stand on it. */
void dap_f_put(void **variable, void *object)
{
  void *old = dap_f_hold(variable, object);
  *variable = object;
  dap_f_drop(old);
}

/* A variable that holds nothing is not touched: gfortran 12 finalises members that are arrays of fixed
 * extents at addresses that are none (it passes no stride). */
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
