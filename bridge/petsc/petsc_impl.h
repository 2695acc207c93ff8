/* The PETSc adapter inside: an index of what its files offer each other. It uses the core's public
 * functions only. */
#ifndef DAP_PETSC_IMPL_H
#define DAP_PETSC_IMPL_H

#include <dapbridge/comm.h>
#include <dapbridge/part.h>
#include <dapbridge/petsc.h>
#include <dapbridge/plan.h>

#include "check.h"

/* Element type of an array that can be a field. */
#if defined(PETSC_USE_COMPLEX)
#define DAP_PETSC_DTYPE (sizeof(PetscReal) == 8 ? DAP_C16 : sizeof(PetscReal) == 4 ? DAP_C8 : DAP_NONE)
#else
#define DAP_PETSC_DTYPE (sizeof(PetscReal) == 8 ? DAP_F8 : sizeof(PetscReal) == 4 ? DAP_F4 : DAP_NONE)
#endif

enum { DAP_GRID_MAX = 3 /* axes of a DMDA */ };

/* ---- errors.c: foreign error codes as statuses -------------------------------------------------- */

/* What PETSc said while its errors were caught. */
typedef struct dap_catch {
  bool pushed;
  bool no_memory; /* the error was PETSC_ERR_MEM */
  char text[320];
} dap_catch;

dap_status dap_petsc_mpi(int code, const char *what, dap_error *err);

/* A copy of `comm` whose errors are returned. Collective; the statuses are not agreed on. */
dap_status dap_petsc_comm(MPI_Comm comm, MPI_Comm *own, dap_error *err);

/* Between the two PETSc's errors are returned, not printed; the second makes a status of `code`. Not
 * nested. */
void dap_catch_begin(dap_catch *caught);
dap_status dap_catch_end(dap_catch *caught, PetscErrorCode code, const char *what, dap_error *err);

/* Starts PETSc on those processes of `comm` that have not started it. Collective. */
dap_status dap_petsc_start(MPI_Comm comm, dap_error *err);

/* False when MPI is over: PETSc finalises it with itself if it had started it. */
bool dap_petsc_has_mpi(void);

/* DAP_ERR_LIBRARY when PETSc has been finalised: the objects of a view are gone then, and what they held. Finalising is
 * collective, so that all processes find the same; the second makes sure, as long as there is MPI. */
dap_status dap_petsc_is_here(dap_error *err);
dap_status dap_petsc_is_there(MPI_Comm comm, dap_error *err);

/* ---- buffer.c: the caller's array before PETSc sees it --------------------------------------------- */

/* The array is this process' part of `layout`, its elements can be cast as the access needs, and it is fit for it. Sets
 * *rank. Not collective. */
dap_status dap_buffer_check(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                            dap_access access, bool lossy, int *rank, dap_error *err);

/* The array that is worked on. */
typedef struct dap_work {
  dap_array origin; /* the caller's, borrowed */
  dap_array array;  /* the same; or a copy whose elements are PetscScalars in this machine's byte order */
  bool is_copy;
} dap_work;

/* Not collective. */
dap_status dap_work_take(const dap_array *origin, dap_work *work, dap_error *err);

/* What the caller has written since goes into the copy. */
dap_status dap_work_renew(dap_work *work, dap_error *err);

/* What was left in a copy goes back, its padding too. Cannot fail but for memory, as the caller's buffer was found fit to
 * be written. */
dap_status dap_work_give(const dap_work *work, dap_error *err);

/* Bytes that a copy moves one way; 0 without one. */
int64_t dap_work_bytes(const dap_work *work);

/* DAP_OK, or DAP_ERR_SHARE if a copy had to be made of elements. */
dap_status dap_work_shares(const dap_work *work, dap_error *why);

/* Accepts a zeroed one. */
void dap_work_release(dap_work *work);

/* ---- ghosted_box.c: a distributed buffer as points with ghosts around them ---------------------------- */

/* One axis, on all processes along it. Where they have ranges, the buffer of process c holds ghosts[c][0] ghost
 * points, its points, ghosts[c][1] ghost points. */
typedef struct dap_box_axis {
  int procs;
  int64_t size;          /* points in all */
  int64_t *points;       /* [procs] */
  int64_t (*ghosts)[2];  /* [procs] low, high */
  int64_t margin[2];     /* of the outermost ghosts, those that are elements of the layout */
  DMBoundaryType outer;  /* what lies outside the outermost points */
  const char *scattered; /* in words how, if it is not so that each process has one range, in process order */
} dap_box_axis;

/* The axes are the array's: grid_ndim of a DMDA, the others of its degrees of freedom, on one process. */
typedef struct dap_ghosted_box {
  int ndim;
  int grid_ndim;
  dap_box_axis axis[DAP_MAX_NDIM]; /* [ndim] */
  int coords[DAP_MAX_NDIM];        /* [ndim] of this process */
  int64_t strides[DAP_MAX_NDIM];   /* [ndim] bytes, of this process' buffer */
  dap_layout *layout;              /* of the elements in the buffers: points and margins */
} dap_ghosted_box;

/* The array's box; a zeroed one on error. Not collective; all but the strides is the same everywhere. */
dap_status dap_box_init(const dap_layout *layout, const dap_petsc_field_options *options, int rank,
                        const int64_t strides[], dap_ghosted_box *box, dap_error *err);

void dap_box_release(dap_ghosted_box *box);

/* Widest ghosts of any process on any axis. */
int64_t dap_box_width(const dap_ghosted_box *box);

/* Degrees of freedom of a point. */
int64_t dap_box_dof(const dap_ghosted_box *box);

/* The axis that is i-th in memory, the fastest first, if the last `inner` of `ndim` axes are the fastest ones
 * and the others in `order`. */
int dap_faster_axis(int ndim, int inner, dap_order order, int i);

/* This process' extent along `axis`, ghosts included. */
int64_t dap_box_extent(const dap_ghosted_box *box, int axis);

/* Bytes from the beginning of this process' buffer to its first point. */
int64_t dap_box_offset(const dap_ghosted_box *box);

/* The same to element (0, ..., 0) of `part`, a slice of the box's layout that begins at lo[ndim]. */
int64_t dap_box_part_offset(const dap_ghosted_box *box, const dap_layout *part, const int64_t lo[]);

/* Margin that is boundary padding outside the grid, and that repeats the other end of it. */
int64_t dap_box_edge(const dap_ghosted_box *box, int axis, int side);
int64_t dap_box_stripped(const dap_ghosted_box *box, int axis, int side);

/* Memory for an axis of a new box, zeroed; dap_box_release() frees it. */
dap_status dap_box_axis_init(dap_box_axis *axis, int procs, dap_error *err);

/* ---- ownership.c: which process has which points of a DMDA --------------------------------------------- */

/* By axis of the array. */
typedef struct dap_ownership {
  int ndim;
  int procs[DAP_GRID_MAX];
  int64_t *points[DAP_GRID_MAX]; /* [procs] */
  int *ranks;                    /* of the processes, row-major by the array's axes; NULL: i */
} dap_ownership;

/* As the array's own. */
dap_status dap_ownership_of_array(const dap_ghosted_box *array, dap_ownership *ownership, dap_error *err);

/* Evenly, on the grid of `nprocs` processes that suits the array best. */
dap_status dap_ownership_even(const dap_ghosted_box *array, int64_t width, int nprocs,
                              dap_ownership *ownership, dap_error *err);

/* Memory for as many processes as ownership->procs says; dap_ownership_release() frees it. */
dap_status dap_ownership_init(dap_ownership *ownership, dap_error *err);

void dap_ownership_release(dap_ownership *ownership);

/* The rank of the process at a place of the process grid, row-major. */
int dap_rank_at(const dap_layout *layout, int place);

/* ---- ghosted_box_dmda.c: the boxes of vectors --------------------------------------------------------- */

/* The box of a DMDA's vector for the array `from`: with the ranges that `ownership` says; ghosts of `width` (0 for a
 * global vector); contiguous in `order`. */
dap_status dap_box_of_dmda(const dap_ghosted_box *from, const dap_ownership *ownership, int64_t width,
                           dap_order order, int rank, dap_ghosted_box *box, dap_error *err);

/* ---- share.c: may a vector be the array's buffer? ----------------------------------------------- */

/* True iff PETSc takes an axis of `size` points whose shortest range is `shortest`. Not collective. */
bool dap_ranges_fit(const dap_ghosted_box *array, int axis, int procs, int64_t shortest, int64_t width);

/* DAP_OK, or DAP_ERR_SHARE with the first condition that fails. The first three look at what is the same on every
 * process: can a DMDA have the array's ranges, does a given one, has the array the ghosts of its local vector. The
 * others look at this process' buffer: is it contiguous, are its points. */
dap_status dap_share_ranges(const dap_ghosted_box *array, int64_t width, dap_error *why);
dap_status dap_share_ownership(const dap_ghosted_box *array, const dap_ownership *ownership, dap_error *why);
dap_status dap_share_ghosts(const dap_ghosted_box *array, const dap_ghosted_box *local, dap_error *why);
dap_status dap_share_whole(const dap_ghosted_box *array, const void *data, dap_order order, dap_error *why);
dap_status dap_share_points(const dap_ghosted_box *array, const void *data, dap_order order, dap_error *why);

/* True of any buffer: `extents` [ndim] elements, `strides` bytes apart, lie without gaps, in the order of
 * dap_faster_axis(), and `data` is aligned. */
dap_status dap_share_memory(const char *what, int ndim, int inner, const int64_t extents[],
                            const int64_t strides[], const void *data, dap_order order, dap_error *why);

/* ---- dmda.c: the making of a DMDA ------------------------------------------------------------------ */

/* The DMDA to be made. */
typedef struct dap_grid {
  dap_order order; /* C: x is the last axis; F: the first */
  int64_t width;
  bool star;
  bool own_ranges;        /* it has the array's ranges, on the array's processes */
  dap_ghosted_box local;  /* its local vector */
  dap_ghosted_box global; /* its global vector */
} dap_grid;

/* Makes the DM and checks that PETSc counts its points as `grid` does. Collective on `comm`. */
dap_status dap_dm_create(MPI_Comm comm, const dap_grid *grid, DM *dm, dap_error *err);

/* ---- vectors.c: vectors on the caller's memory or PETSc's --------------------------------------- */

/* Raises the vector's state: its memory was written to, unseen. A new vector on memory of its caller's needs it too: its
 * state is 0, which is also that of norms nobody has taken, and they would pass for norms that are 0. */
PetscErrorCode dap_vec_changed(Vec vector);

/* `data` NULL with `shared` false: PETSc's memory, zeroed. Collective on the DM's communicator. */
PetscErrorCode dap_vec_global(DM dm, bool shared, void *data, Vec *vector);
PetscErrorCode dap_vec_local(DM dm, bool shared, void *data, Vec *vector);

/* ---- steps.c: the plans behind get and restore -------------------------------------------------- */

enum { DAP_STEPS_MAX = 9 };

/* Has any process communication padding? */
bool dap_has_halo(const dap_layout *layout);

/* The memories that a step moves between. */
typedef enum dap_memory {
  DAP_MEMORY_ARRAY,
  DAP_MEMORY_LOCAL,
  DAP_MEMORY_GLOBAL,
  DAP_MEMORY_COUNT
} dap_memory;

typedef struct dap_step {
  dap_plan *plan;
  dap_memory from, to;
  int64_t from_offset, to_offset; /* bytes */
  bool counted;                   /* its bytes belong to moved_bytes */
} dap_step;

/* Run in order. */
typedef struct dap_steps {
  int count;
  dap_step step[DAP_STEPS_MAX];
} dap_steps;

/* One end of a copy: a box and the memory that has its form. */
typedef struct dap_end {
  const dap_ghosted_box *box;
  dap_memory memory;
} dap_end;

/* What a copy moves: the points; with the boundary padding that is ghost points; and all ghost points of the
 * destination that are elements somewhere. */
typedef enum dap_extent { DAP_EXTENT_POINTS, DAP_EXTENT_EDGES, DAP_EXTENT_GHOSTS } dap_extent;

/* Append to `steps`. Collective on `comm`. */
dap_status dap_steps_copy(dap_steps *steps, MPI_Comm comm, const dap_end *from, const dap_end *to,
                          dap_extent extent, dap_error *err);
/* Only the boundary padding that is ghost points. */
dap_status dap_steps_edges(dap_steps *steps, MPI_Comm comm, const dap_end *from, const dap_end *to,
                           dap_error *err);
/* The array's stripped padding, from the other end of the grid. */
dap_status dap_steps_wrap(dap_steps *steps, MPI_Comm comm, const dap_end *array, dap_error *err);
/* The array's communication padding, last of all. */
dap_status dap_steps_halo(dap_steps *steps, MPI_Comm comm, const dap_end *array, dap_error *err);

/* Runs all and adds what the counted ones copied and sent to *moved. Collective. */
dap_status dap_steps_run(const dap_steps *steps, void *const memory[DAP_MEMORY_COUNT], int64_t *moved,
                         dap_error *err);
void dap_steps_release(dap_steps *steps);

/* ---- kit.c: what the fields of one form on one DMDA share ------------------------------------------ */

/* What must be alike for that, on this process. Compared byte by byte. */
typedef struct dap_form {
  uint64_t words[16];
  int64_t strides[DAP_MAX_NDIM];
} dap_form;

/* Kept by the DMDA it was made for, and by the views that use it. */
typedef struct dap_kit {
  uint64_t id; /* the same on every process, and no other kit's */
  int users;
  bool kept;            /* the DMDA is one of them */
  struct dap_kit *next; /* of the same DMDA */
  dap_form form;
  MPI_Comm comm; /* its own */
  DM dm;         /* borrowed: it keeps the kit */
  dap_ghosted_box array;
  dap_grid grid;
  bool shared_local, shared_global;
  char reason_local[DAP_ERROR_TEXT], reason_global[DAP_ERROR_TEXT];
  dap_steps in, out; /* array -> vectors, and back */
  dap_steps pad;     /* the array's padding, from its owners */
} dap_kit;

struct dap_petsc_state;

/* The newest kit that the DMDA keeps, the first of them all by `next`; NULL: none. Not collective. */
dap_kit *dap_kit_newest(DM dm);

/* The kit that the DMDA of the options keeps for the view; NULL: none, or no DMDA. Not collective. */
dap_kit *dap_kit_find(const struct dap_petsc_state *state);

/* Who is to have one: all processes; some, and this one; some, but not this one. */
typedef enum dap_vote { DAP_VOTE_ALL, DAP_VOTE_SOME, DAP_VOTE_NONE } dap_vote;

/* Sets *all: have all who are to have one the same, and all processes one `choice`? Collective on `comm`. */
dap_status dap_kit_meet(MPI_Comm comm, const dap_kit *kit, dap_vote vote, uint64_t choice, bool *all,
                        dap_error *err);

/* Makes one for the view, and its DMDA if the options give none, which keeps it. *dm is a reference of the caller's to
 * a new DMDA, NULL if one was given. Collective on `comm`; agreed. */
dap_status dap_kit_create(MPI_Comm comm, const struct dap_petsc_state *state, dap_kit **kit, DM *dm,
                          dap_error *err);

/* Ends a use of it. Collective if it was the last. */
void dap_kit_release(dap_kit *kit);

/* ---- width.c ------------------------------------------------------------------------------------- */

/* Sets the width and shape of the stencil unless a given DMDA has set them; can PETSc count the points? Not collective;
 * the same on every process. */
dap_status dap_kit_width(dap_kit *kit, const dap_petsc_field_options *options, dap_error *err);

/* ---- user_dmda.c: a DMDA of the caller's ---------------------------------------------------------------- */

/* Does the DMDA have the array's points? Sets its ownership, and order, width and star of kit->grid. Collective on `comm`;
 * agreed. */
dap_status dap_user_dmda_take(MPI_Comm comm, DM dm, const dap_petsc_field_options *options, dap_kit *kit,
                              dap_ownership *ownership, dap_error *err);

/* ---- decide.c: share or move -------------------------------------------------------------------- */

/* The reason of a vector that nobody asked for. */
extern const char dap_not_wanted[];

/* The order that is wanted; if that is 0, F order if every buffer is contiguous in it and not every one in C order, else
 * C order. Collective, and one order for all, whatever each of them wants. */
dap_status dap_find_order(MPI_Comm comm, const dap_ghosted_box *array, const void *data, dap_order wanted,
                          dap_order *order, dap_error *err);

/* Lays the kit's grid, as `given` says if that is not NULL, and fills its verdicts and reasons. Collective on its
 * communicator; agreed. */
dap_status dap_decide(const struct dap_petsc_state *state, const dap_ownership *given, dap_kit *kit,
                      dap_error *err);

/* ---- state.c: what a live view holds ------------------------------------------------------------ */

struct dap_petsc_state {
  dap_access access;
  dap_petsc_field_options options; /* with the defaults filled in; of axes and index nothing is left */
  dap_layout *layout;              /* of the section that is the field, on the processes that have it; */
  uint64_t choice;                 /* fingerprint of the options that a kit does not tell apart */
  bool is_member;                  /* this is one of them, */
  int rank;                        /* the process of the layout that it is */
  dap_array section;               /* the caller's buffer, or a window of it */
  dap_work work;
  bool is_apart; /* its processes are not all of the caller's, or in another order */
  MPI_Comm all;  /* own copy of the caller's communicator if so; else MPI_COMM_NULL */
  dap_kit *kit;
  DM dm;
  Vec global, local; /* NULL: not wanted */
  bool locked;       /* both are locked for reading */
};

/* Checks the arguments of dap_petsc_field_get() on this process and takes them in. Not collective. */
dap_status dap_state_fill(struct dap_petsc_state *state, MPI_Comm comm, const dap_layout *layout,
                          const dap_array *array, dap_access access, const dap_petsc_field_options *options,
                          dap_error *err);

/* section.c: takes in the axes that the options ask for, of the buffer of process `rank`. Not collective. */
dap_status dap_state_section(struct dap_petsc_state *state, const dap_layout *layout, const dap_array *array,
                             int rank, dap_error *err);

/* Are the arguments the same on every process? Collective. */
dap_status dap_state_check_same(const struct dap_petsc_state *state, MPI_Comm comm, const dap_layout *layout,
                                const dap_petsc_field_options *options, dap_error *err);

/* Ends the view. Collective. Accepts a half-built state. */
dap_status dap_state_destroy(struct dap_petsc_state *state, dap_error *err);

/* ---- field_move.c: between the array and the vectors ------------------------------------------------ */

/* Brings the array into the vectors that are copies. Collective on the kit's communicator; agreed. */
dap_status dap_field_in(struct dap_petsc_state *state, int64_t *moved, dap_error *err);

/* Brings the vectors that are copies into the array, and fills the array's padding. Collective; agreed. */
dap_status dap_field_out(struct dap_petsc_state *state, int64_t *moved, dap_error *err);

/* Fills the padding alone, from what the array holds. Collective; not agreed where a vector shares the buffer. */
dap_status dap_field_pad(struct dap_petsc_state *state, dap_error *err);

#endif
