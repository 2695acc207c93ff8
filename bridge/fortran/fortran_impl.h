/* Declares the functions and types that the files of this layer share, by the file that defines them.
 * Functions that only the Fortran module calls have their prototypes in the module. DAP_API marks functions
 * that the libraries for PETSc call as well. */
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

/* The elements of a process, in the form that a Fortran pointer needs. */
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
  /* Frees everything that the object holds. Never collective, so variables may end anywhere. Returns false if
   * the object is still in use (a live view, a plan that has been begun); it then stays. */
  bool (*end)(void *object);
  /* Describes the object as dap_layout_describe() does. */
  size_t (*describe)(const void *object, char *text, size_t capacity);
  void (*buffer)(const void *object, dap_f_buffer *buffer); /* NULL: it has no elements */
} dap_f_kind;

/* The first member of each object. Variables that were assigned to each other hold one object. `references`
 * counts these variables, and objects that need this one. */
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
  /* The array that this one is a part of, kept for its buffer; NULL: there is none. It is the last member,
   * because the libraries for PETSc know this struct. */
  void *whole;
} dap_f_array;

/* A part as the module passes it. Numbers count from 1, and axis 0 is a new one. */
typedef struct dap_f_part {
  int naxes, nstart, nshape; /* -1: not given */
  const int *axes;
  const int64_t *start, *shape;
} dap_f_part;

/* The part as C takes it. */
typedef struct dap_f_chosen {
  dap_part part; /* points into the others, and to the caller's shape */
  int axes[DAP_MAX_NDIM];
  int64_t start[DAP_MAX_NDIM];
} dap_f_chosen;

/* The functions that the module calls are shims. A shim takes a communicator as the address of an MPI_Fint,
 * which is what an INTEGER and a type(MPI_Comm) are. It takes objects as handles, and indices that count from
 * 1. It converts these for the public function, and calls that. The public function reports faults of
 * arguments, so an object that is not set becomes NULL. */

/* object.c. A variable is known by the address of its handle.
 * new: returns a zeroed object with one reference.
 * keep, drop: take another reference, and return the object; give one back.
 * put: gives a variable another object, whose reference it takes over, or none.
 * share: gives a variable an object, with a reference of its own.
 * release: leaves a variable without an object. */
DAP_API void *dap_f_new(const dap_f_kind *kind, dap_error *err);
DAP_API void *dap_f_keep(void *object);
DAP_API void dap_f_drop(void *object);
DAP_API void dap_f_put(void **variable, void *object);
void dap_f_share(void **variable, void *object);
DAP_API void dap_f_release(void **variable);

/* comm.c. Returns the caller's communicator. Returns MPI_COMM_NULL if MPI is not running, because MPI would
 * end the program. */
DAP_API MPI_Comm dap_f_comm(const MPI_Fint *comm);

/* words.c. Puts a text of the library in Fortran's words, in place. */
void dap_f_words(char text[DAP_ERROR_TEXT]);

/* holders.c. Notes that the variable holds the object; NULL: it holds none. Returns the object that it held.
 * Thread-safe. */
void *dap_f_hold(void **variable, void *object);

/* buffer.c */
/* Returns the type of the elements; DAP_NONE: the library does not have it. */
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
/* Gives a variable a new object for a layout, whose reference it takes over. */
dap_status dap_f_layout_put(void **variable, dap_layout *layout, dap_error *err);

/* array.c */
DAP_API extern const dap_f_kind dap_f_array_kind;
DAP_API dap_darray dap_f_darray(const dap_f_array *array);
bool dap_f_array_has_part(const dap_f_array *array);
/* Gives the variable the array. With an error, which is returned, the variable gets none and the array is
 * freed. */
dap_status dap_f_array_put(void **variable, dap_f_array *array, dap_status status);

/* part.c */
/* Reads a part of an array of this layout. If the layout is NULL, it is not known here, and only parts that
 * no array can have are refused. Errors: DAP_ERR_ARG (the count of numbers differs from the dimensions, or
 * there are more axes than possible). */
dap_status dap_f_part_choose(const dap_f_part *given, const dap_layout *layout, dap_f_chosen *chosen,
                             dap_error *err);

#endif
