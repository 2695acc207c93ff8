/* dapbridge/export.h: the parts of all processes as one JSON document, which the command `dapbridge` reads
 * (check, describe, draw, explain): to look at an array that is refused, is moved where it should be shared,
 * or is laid out otherwise than expected. */
#ifndef DAPBRIDGE_EXPORT_H
#define DAPBRIDGE_EXPORT_H

#include <dapbridge/array.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes what dap_array_json() makes of each process's array, in the order of ranks, as a list with a line
 * for each process. Process 0 writes to its `stream` and flushes it; that of others is not used and may be
 * NULL. The arrays need not be right nor fit each other: the command says what is wrong. Documents written
 * one after the other make a file that it reads, too. Collective on `comm`, which is the array's processes;
 * process 0 needs memory for 1 MiB of others' text.
 * Errors, the same on every process: those of dap_array_json(); DAP_ERR_ARG (NULL), DAP_ERR_LIBRARY (`stream`
 * cannot be written to, as when a disk is full: part of the document may have been), DAP_ERR_NOMEM; and those
 * of all collective functions (comm.h). */
DAP_API dap_status dap_array_export(MPI_Comm comm, const dap_array *local, FILE *stream, dap_error *err);

/* The same of a layout: its dictionaries in protocol `version` ("0.10.0", "0.9.0", "0.0.1"; NULL: 0.10, or
 * 0.9 where only that can say it), the same on every process. array.local is this process's part, of which
 * only the buffer is used (shape, strides, type); or NULL on all processes: there is only the buffers' shape.
 * Collective on `comm`, whose rank i is process i of the layout.
 * Errors: as above; DAP_ERR_ARG (`comm` does not have the layout's processes; different layouts or versions;
 * a part on some processes only), DAP_ERR_BUFFER (the part's extents are not the layout's), DAP_ERR_VERSION,
 * DAP_ERR_UNSUPPORTED (the version cannot say it, see dap_layout_dim(); a partial axis). */
DAP_API dap_status dap_layout_export(MPI_Comm comm, const char *version, dap_darray array, FILE *stream,
                                     dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
