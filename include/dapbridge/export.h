/**
 * @file
 * Writes the parts of all processes as one JSON document.
 *
 * The `dapbridge` subcommands check, describe, draw and explain read the document. They report how the array
 * is laid out, why dapbridge refuses it, or why a view copies it instead of sharing it. A file may contain
 * several documents, one after the other.
 */
#ifndef DAPBRIDGE_EXPORT_H
#define DAPBRIDGE_EXPORT_H

#include <dapbridge/array.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes the parts of all processes as one JSON document.
 *
 * The document is a list. The entry of each rank is one line, as dap_array_json() writes it. Parts may be
 * invalid or contradict each other; `dapbridge check` reports these errors.
 *
 *     dap_array_export(comm, &a, stdout, &err); // mpiexec -n 4 program | dapbridge check -
 *
 * Collective on `comm`. Process 0 needs 1 MiB of additional memory.
 *
 * @param comm    contains exactly the array's processes
 * @param local   this process's part
 * @param stream  output stream on process 0, flushed at the end; may be NULL on other processes
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, local->abi is not DAP_ARRAY_ABI, or `comm` is not an intracommunicator
 *  - DAP_ERR_BUFFER: a part has more than DAP_MAX_NDIM axes or dictionaries, or an unknown dtype
 *  - DAP_ERR_DIM: a list of indices is NULL, has a negative length, or is not of an integer type
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI failed, or a part of the document could not be written
 * @see dap_array_json(), dap_layout_export()
 */
DAP_API dap_status dap_array_export(MPI_Comm comm, const dap_array *local, FILE *stream, dap_error *err);

/**
 * Writes the dictionaries of all processes of a layout as one JSON document.
 *
 * The function uses the shape, strides and type of each part's buffer, but not the part's dictionaries.
 * Without parts, the document gives the shapes of the buffers, but not their strides and types. Collective on
 * `comm`.
 *
 * @param comm     communicator whose rank i is process i of the layout
 * @param version  protocol version of the dictionaries ("0.10.0", "0.9.0", "0.0.1"); NULL means 0.10, or 0.9
 *                 if only 0.9 can express the layout; the same on every process
 * @param array    the layout and this process's part; the part may be NULL on all processes
 * @param stream   output stream on process 0, flushed at the end; may be NULL on other processes
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL or differs between processes, `comm` does not contain exactly the
 *    layout's processes, or only some processes pass a part
 *  - DAP_ERR_BUFFER: the part does not match the layout, or its dtype is unknown
 *  - DAP_ERR_VERSION: `version` is unknown
 *  - DAP_ERR_UNSUPPORTED: the version cannot express the layout (see dap_layout_dim())
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI failed, or a part of the document could not be written
 * @see dap_array_export()
 */
DAP_API dap_status dap_layout_export(MPI_Comm comm, const char *version, dap_darray array, FILE *stream,
                                     dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
