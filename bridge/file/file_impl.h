/* Declares the file layer, which saves and loads arrays. Plans move the elements between the array and slabs,
 * one on each writer, in rounds of bounded memory. "Writers" are the processes that read or write the file.
 *
 *     file         dap_file_save(), dap_file_load(), dap_file_query(): the steps in their order
 *     call         begins and ends a call: arguments, context, the array as rank 0 describes it
 *     agree_call   agreements within a call
 *     options      the options that each process can check, and those that must be equal
 *     name         which format and which dataset a path names
 *     target       what the file's array is: a new one, or what the file says
 *     axes         which axis of the file is which axis of the array
 *     writers      which processes read and write, and their communicator
 *     direct       whether the array's memory is laid out as the file is
 *     rounds       which box of the file each writer has in each round
 *     move         runs the rounds: plan, read or write
 *     replace      the new file beside the old one, and its renaming
 *     layout_text  the layout that is stored with an array
 *     posix        files of the system
 *     flat         pieces of formats whose elements follow each other in the file
 *     npy, raw     the formats; npy_parse: headers of .npy */
#ifndef DAP_FILE_IMPL_H
#define DAP_FILE_IMPL_H

#include "transfer_impl.h"
#include <dapbridge/file.h>
#include <dapbridge/file_format.h>
#include <dapbridge/parse.h>

enum {
  DAP_FILE_TEXT = 1 << 16, /* bytes of a layout's text, with the closing NUL */
  DAP_FILE_ALIGN = 1 << 20 /* bytes: options.align if it is 0 */
};

/* ---- the parts of a call --------------------------------------------------------------------------- */

/* The array as rank 0 describes it. */
typedef struct dap_file_array {
  int ndim, nprocs;
  int64_t shape[DAP_MAX_NDIM]; /* [ndim] */
  dap_dtype dtype;
  uint64_t hash; /* of the layout */
} dap_file_array;

/* The slab's axes are the array's in the order of the file, slowest first. Axes that the file does not have
 * come last. */
typedef struct dap_file_axes {
  int naxes;               /* of the array and of the slab */
  int array[DAP_MAX_NDIM]; /* [naxes] axis of the array */
  int file
      [DAP_MAX_NDIM]; /* [naxes] position in the file's order; -1: an axis of extent 1 that is not there */
  int64_t size[DAP_MAX_NDIM];   /* [naxes] */
  int ndim;                     /* of the file's array */
  int64_t start[DAP_MAX_NDIM];  /* [ndim] of the part, in the file's order */
  int64_t extent[DAP_MAX_NDIM]; /* [ndim] of the file's array, in the file's order */
} dap_file_axes;

typedef struct dap_file_writers {
  int count, self; /* self: this process's number among them; -1: it is not a writer */
  int *ranks;      /* [count] ascending; the first is rank 0 */
  MPI_Comm comm;   /* of the writers; MPI_COMM_NULL on other processes */
} dap_file_writers;

/* The state of a call. Members are the same on every process unless a comment says otherwise. */
typedef struct dap_file_call {
  const char *function;
  bool saves, has_array;
  MPI_Comm comm; /* the caller's, for agreements */
  dap_context *context;
  dap_darray local; /* the caller's array, of this process */
  dap_file_options options;
  const char *path; /* the caller's */
  const dap_file_format *format;
  dap_file_name name; /* of the file that is opened */
  char *file;         /* the text of `name`, with the dataset behind it */
  dap_file_array array;
  dap_file_info info;
  dap_file_access access;
  int64_t steps; /* of DAP_FILE_APPEND; -1: none */
  int64_t bytes; /* length of a file that exists */
  char *layout;  /* [DAP_FILE_TEXT] text; "": none */
  dap_file_axes axes;
  dap_file_writers writers;
  bool is_direct;
  void *state; /* of the format, on this writer */
} dap_file_call;

/* ---- call.c ---------------------------------------------------------------------------------------- */

/* Begins a call: checks its arguments and agrees on them. `options` may be NULL. The caller ends the call in
 * any case. Collective; agreed. */
dap_status dap_file_begin(dap_file_call *call, const dap_file_options *options, dap_error *err);
void dap_file_end(dap_file_call *call);
/* agree_call.c */
/* Agrees on a status within a call. */
dap_status dap_file_agree(const dap_file_call *call, dap_status status, dap_error *err);
/* Sends bytes from rank 0 to all. Collective; agreed, on the status of rank 0 too. */
dap_status dap_file_tell(const dap_file_call *call, dap_status status, void *at, int bytes, dap_error *err);

/* options.c: check the options of this process; list the words that must be equal, at most DAP_AGREE_MOST. */
dap_status dap_file_check_options(const dap_file_call *call, dap_error *err);
int dap_file_words(const dap_file_call *call, uint64_t words[], const char *const **names);

/* name.c: sets format, name and file */
dap_status dap_file_find_name(dap_file_call *call, dap_error *err);

/* ---- target.c -------------------------------------------------------------------------------------- */

/* Sets info, access, steps, bytes and layout of a file that exists, or of a new one. Collective; agreed. */
dap_status dap_file_find_target(dap_file_call *call, dap_error *err);
/* Reads what an existing file says. info.ndim is -1 if there is none, or no dataset. Collective; agreed. */
dap_status dap_file_ask(dap_file_call *call, dap_error *err);

/* axes.c: sets the axes, and checks the part. Collective; agreed. */
dap_status dap_file_find_axes(dap_file_call *call, dap_error *err);
/* Agrees on a status, and compares start and shape of the part, which have info.ndim numbers. */
dap_status dap_file_agree_part(const dap_file_call *call, dap_status status, dap_error *err);
/* Makes the layout of the file's array on one process, whose parts are checked. */
dap_status dap_file_whole_layout(const dap_file_call *call, dap_layout **layout, dap_error *err);

/* writers.c: sets the writers. Collective; agreed. */
dap_status dap_file_find_writers(dap_file_call *call, dap_error *err);
void dap_file_free_writers(dap_file_writers *writers);

/* direct.c: sets is_direct. Collective; agreed. */
dap_status dap_file_find_direct(dap_file_call *call, dap_error *err);
/* Reads or writes this process's elements. Collective; agreed. */
dap_status dap_file_move_direct(dap_file_call *call, dap_error *err);

/* ---- rounds.c -------------------------------------------------------------------------------------- */

/* A round: a box of the slab's axes, dealt to writers. Along the axis that is cut each writer has a range of
 * its own. Along the axis before it each group of writers has an index. */
typedef struct dap_file_round {
  int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM]; /* [naxes] of all writers together */
  int along, across;                                /* writers along the two axes */
  int64_t *lengths;                                 /* [along] indices of the axis that is cut, for each */
} dap_file_round;
typedef struct dap_file_rounds {
  const dap_file_axes *axes;
  int writers;
  int cut;               /* the axis that is cut; -1: the array has no axes */
  int64_t row;           /* bytes of one index of it */
  int64_t most;          /* indices of it that a writer's buffer takes */
  int64_t align, offset; /* bytes */
  int64_t bytes;         /* of the buffer that a writer needs */
  int64_t moved, all;    /* elements in the rounds so far, and in all */
  dap_file_round round;
} dap_file_rounds;
/* Plans rounds for buffers of `memory` bytes. Not collective. */
dap_status dap_file_rounds_create(const dap_file_call *call, int64_t memory, dap_file_rounds *rounds,
                                  dap_error *err);
bool dap_file_rounds_next(dap_file_rounds *rounds); /* false: there are no more */
void dap_file_rounds_release(dap_file_rounds *rounds);
/* The box of writer `writer` in this round. */
dap_file_piece dap_file_round_piece(const dap_file_rounds *rounds, int writer);

/* move.c: moves all elements. Collective; agreed. */
dap_status dap_file_move(dap_file_call *call, dap_error *err);

/* ---- replace.c ------------------------------------------------------------------------------------- */

/* The new file beside the old one. Rank 0 has all texts; NULL: there is none. */
typedef struct dap_replacement {
  char *target;        /* the file that is replaced, without links */
  char *beside;        /* the new file */
  char *layout;        /* the new file of the layout's text */
  bool has_old_layout; /* on rank 0: a layout is stored beside the old file */
} dap_replacement;
/* Makes the empty new file, which name.file becomes on every process. Collective; agreed. */
dap_status dap_replacement_begin(dap_file_call *call, dap_replacement *r, dap_error *err);
/* Renames what was written and synced, or removes it if `status` is not DAP_OK on some process. Collective;
 * agreed. */
dap_status dap_replacement_end(dap_file_call *call, dap_replacement *r, dap_status status, dap_error *err);

/* layout_text.c */
/* Writes the text of the layout on rank 0; "": it is not to be stored. */
void dap_layout_text_make(const dap_file_call *call, char text[DAP_FILE_TEXT]);
/* Returns the name of the file with the text, beside `file`, for free(); NULL: no memory. */
char *dap_layout_text_name(const char *file);
/* Reads the text beside `file`; "": there is none. */
dap_status dap_layout_text_read(const char *file, char text[DAP_FILE_TEXT], dap_error *err);
/* Sets *exists to whether there is a file beside `file` with the name of its text, and *is_layout to whether
 * this library has written it. Refuses what is not a regular file. */
dap_status dap_layout_text_look(const char *file, bool *exists, bool *is_layout, dap_error *err);
/* Makes the layout of an array that is to be loaded, and sets info.note. */
dap_status dap_layout_text_use(dap_file_call *call, dap_layout **layout, dap_error *err);

/* ---- posix.c --------------------------------------------------------------------------------------- */

/* DAP_ERR_FILE: "<shown>: <what>: <the text of errno>" */
dap_status dap_posix_fail(int code, const char *shown, const char *what, dap_error *err);
/* Sets whether a file exists, and its length. Refuses what is not a regular file. */
dap_status dap_posix_look(const char *file, const char *shown, bool *exists, int64_t *bytes, dap_error *err);
/* Sets *target, for free(), to the path of the file without links; also on some errors. */
dap_status dap_posix_follow(const char *file, const char *shown, char **target, dap_error *err);
dap_status dap_posix_open(const char *file, const char *shown, bool writes, int *fd, dap_error *err);
dap_status dap_posix_read(int fd, const char *shown, int64_t at, void *data, int64_t bytes, dap_error *err);
dap_status dap_posix_write(int fd, const char *shown, int64_t at, const void *data, int64_t bytes,
                           dap_error *err);
/* Syncs unless `failed`, and closes. */
dap_status dap_posix_close(int fd, const char *shown, bool syncs, dap_error *err);

/* ---- flat.c ---------------------------------------------------------------------------------------- */

typedef struct dap_flat {
  int fd;
  bool writes;
  const char *shown;
  int ndim;
  int64_t extent[DAP_MAX_NDIM]; /* [ndim] of the file's array, slowest first */
  int64_t item, offset;         /* bytes */
  char *sieve;                  /* NULL: none yet */
} dap_flat;
/* Opens an array at info->offset. With DAP_FILE_CREATE the first writer sets the file's length and writes
 * header[info->offset]. If that is NULL, zeros are there. */
dap_status dap_flat_open(MPI_Comm comm, const dap_file_name *name, dap_file_access access,
                         const dap_file_info *info, const char *header, void **state, dap_error *err);
dap_status dap_flat_read(void *state, const dap_file_piece *piece, void *data, dap_error *err);
dap_status dap_flat_write(void *state, const dap_file_piece *piece, const void *data, dap_error *err);
dap_status dap_flat_close(void *state, bool failed, dap_error *err);
/* Sets *bytes to the length of a file with this array. DAP_ERR_RANGE: it exceeds 2^63 - 1. */
dap_status dap_flat_length(const dap_file_info *info, const char *shown, int64_t *bytes, dap_error *err);

/* npy_parse.c */
/* Reads shape, type and order from the text [length] of a header. */
dap_status dap_npy_parse(const char *text, int64_t length, const char *shown, dap_file_info *info,
                         dap_error *err);

#endif
