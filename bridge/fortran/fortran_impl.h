/* Functions that the Fortran module calls, and declarations that the layer's files share, by the file that
 * defines them.
 *
 * A shim takes communicators as the address of an MPI_Fint, which is what an INTEGER and a type(MPI_Comm)
 * are; objects as handles; indices that count from 1. It turns them into what the public function takes,
 * and calls that. What is wrong with an argument the public function says: an object that is not set
 * becomes NULL. What only the module calls has its prototype there. DAP_API: what the libraries for PETSc
 * call, too. */
#ifndef DAP_FORTRAN_IMPL_H
#define DAP_FORTRAN_IMPL_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/part.h>
#include <dapbridge/plan.h>
#include <dapbridge/shared.h>
#include <dapbridge/status.h>

#include <ISO_Fortran_binding.h>
#include <mpi.h>
#include <stdatomic.h>

/* base.f90 has these numbers. */
_Static_assert(DAP_ERROR_TEXT == 512 && DAP_MAX_NDIM == 8 && sizeof(dap_error) == 520, "base.f90 differs");

/* A process's elements, as a Fortran pointer needs them. */
typedef struct dap_f_buffer {
  void *data;
  dap_dtype dtype;
  int ndim;
  int64_t shape[DAP_MAX_NDIM], strides[DAP_MAX_NDIM]; /* [ndim] elements; bytes */
} dap_f_buffer;

/* A kind of object that a Fortran variable holds. */
typedef struct dap_f_kind {
  const char *name; /* in texts */
  size_t bytes;
  /* Frees what the object holds; never collective, so that variables may end anywhere. False: it is still in
   * use (a live view, a plan that has been begun), and stays. */
  bool (*end)(void *object);
  /* As dap_layout_describe(). */
  size_t (*describe)(const void *object, char *text, size_t capacity);
  void (*buffer)(const void *object, dap_f_buffer *buffer); /* NULL: it has no elements */
} dap_f_kind;

/* The first member of each. Variables that were assigned to each other hold one object: references counts
 * them, and objects that stand on it. */
typedef struct dap_f_object {
  const dap_f_kind *kind;
  atomic_int references;
} dap_f_object;

typedef struct dap_f_layout {
  dap_f_object object;
  dap_layout *layout;
} dap_f_layout;

/* A distributed array as this process sees it. */
typedef struct dap_f_array {
  dap_f_object object;
  dap_layout *layout; /* NULL: this process has no part, and does not know the layout */
  dap_array local;    /* without dimensions: no part */
  dap_dtype dtype;
  int rank;   /* this process, among those of the layout */
  int *ranks; /* [nprocs of layout] ranks in the communicator; NULL: rank i is process i of the layout */
  /* The array that this one is a part of, kept for its buffer; NULL: none. Last, as the libraries for PETSc
   * know this struct. */
  void *whole;
} dap_f_array;

/* A part as the module passes it: numbers count from 1, axis 0 is a new one. */
typedef struct dap_f_part {
  int naxes, nstart, nshape; /* -1: not given */
  const int *axes;
  const int64_t *start, *shape;
} dap_f_part;

/* The same as C has it. */
typedef struct dap_f_chosen {
  dap_part part; /* points into the others, and to the caller's shape */
  int axes[DAP_MAX_NDIM];
  int64_t start[DAP_MAX_NDIM];
} dap_f_chosen;

/* object.c. A variable is known by the address of its handle.
 * new: a zeroed object with one reference. keep, drop: take another reference, and return the object; give
 * one back. put: gives a variable another object, whose reference it takes over, or none. share: the same,
 * with a reference of its own. release: none. */
DAP_API void *dap_f_new(const dap_f_kind *kind, dap_error *err);
DAP_API void *dap_f_keep(void *object);
DAP_API void dap_f_drop(void *object);
DAP_API void dap_f_put(void **variable, void *object);
void dap_f_share(void **variable, void *object);
DAP_API void dap_f_release(void **variable);

/* comm.c. A communicator of the caller's. MPI_COMM_NULL where MPI is not running, as MPI would end the
 * program. */
DAP_API MPI_Comm dap_f_comm(const MPI_Fint *comm);

/* words.c. Puts a text of the library in Fortran's words, in place. */
void dap_f_words(char text[DAP_ERROR_TEXT]);

/* holders.c. Notes that the variable holds the object; NULL: it holds none. Returns the object that it held.
 * Thread-safe. */
void *dap_f_hold(void **variable, void *object);

/* buffer.c */
/* DAP_NONE: not one of the library's types. */
dap_dtype dap_f_dtype(const CFI_cdesc_t *data);
/* Refuses the argument `name` if its elements are not of one of the library's types. */
dap_status dap_f_check_type(const CFI_cdesc_t *data, const char *name, dap_error *err);
/* Refuses the argument `name` if it has extents without memory. Compilers pass an array that is not allocated
 * with the address NULL; its extents are those of an earlier allocation, or undefined. */
dap_status dap_f_check_memory(const CFI_cdesc_t *data, const char *name, dap_error *err);
dap_status dap_f_refuse_memory(const char *name, dap_error *err); /* its error: DAP_ERR_BUFFER */
dap_status dap_f_pointer(const void *object, CFI_cdesc_t *pointer, dap_error *err);

/* layout.c */
extern const dap_f_kind dap_f_layout_kind;
const dap_layout *dap_f_layout_of(const dap_f_layout *layout);
/* A variable's new object for a layout, whose reference it takes over. */
dap_status dap_f_layout_put(void **variable, dap_layout *layout, dap_error *err);

/* array.c */
DAP_API extern const dap_f_kind dap_f_array_kind;
DAP_API dap_darray dap_f_darray(const dap_f_array *array);
bool dap_f_array_has_part(const dap_f_array *array);
/* Gives the variable the array, or with an error, which it returns, none, and frees the array. */
dap_status dap_f_array_put(void **variable, dap_f_array *array, dap_status status);

/* part.c */
/* A part of an array of this layout; NULL: not known here, so that only what no array has is refused.
 * Errors: DAP_ERR_ARG (other numbers than there are dimensions; more axes than there can be). */
dap_status dap_f_part_choose(const dap_f_part *given, const dap_layout *layout, dap_f_chosen *chosen,
                             dap_error *err);

#endif
