/* Objects that Fortran variables hold, counted: a final procedure gives a reference back, an assignment takes
 * another. */
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

void dap_f_release(void **variable)
{
  dap_f_object *object = *variable;
  *variable = NULL;
  if (object && atomic_fetch_sub(&object->references, 1) == 1 && object->kind->end(object)) free(object);
}

void dap_f_put(void **variable, void *object)
{
  void *old = *variable;
  *variable = object;
  dap_f_release(&old);
}

size_t dap_f_describe(const void *object, char *text, size_t capacity)
{
  if (object) return ((const dap_f_object *)object)->kind->describe(object, text, capacity);
  if (capacity > 0) text[0] = '\0';
  return 0;
}

/* The reference is taken before the old one is given back: both may be the same object. */
void dap_f_share(void **variable, void *object)
{
  if (object) atomic_fetch_add(&((dap_f_object *)object)->references, 1);
  dap_f_put(variable, object);
}
