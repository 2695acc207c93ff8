/**
 * @file
 * Distributed arrays in datasets of HDF5 files.
 *
 *     dap_file_options options = {.format = dap_file_hdf5()};
 *     dap_file_save(comm, a, "run.h5:/fields/u", &options, &err);
 *
 * The files are compatible with h5py. Datasets are in C order, and contiguous unless they grow step by step
 * (DAP_FILE_APPEND). Complex numbers are stored as compounds with members "r" and "i". bool is stored as an
 * enumeration of FALSE and TRUE. dapbridge returns HDF5's error messages in dap_error; HDF5 does not print
 * them.
 *
 * This header belongs to the library dapbridge_hdf5, which uses a parallel HDF5 that was built for the same
 * MPI as dapbridge. PETSc and the parallel build of h5py can use the same HDF5, so that a program loads HDF5
 * only once.
 *
 * Sources: "HDF5 File Format Specification Version 3.0"; h5py, "Special types".
 */
#ifndef DAPBRIDGE_HDF5_H
#define DAPBRIDGE_HDF5_H

#include <dapbridge/file.h>
#include <dapbridge/mpi_family.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the HDF5 format. Not collective.
 *
 * A path names a file and a dataset: "run.h5:/fields/u" (bridge/docs/files.md, "HDF5"). DAP_FILE_REPLACE
 * replaces the whole file, DAP_FILE_UPDATE changes or adds a dataset, and DAP_FILE_APPEND adds a step along a
 * dataset's first axis. Parallel builds of HDF5 are usually not thread-safe, and dapbridge does not protect
 * HDF5 from concurrent calls. So only one thread at a time may use HDF5, directly or through dapbridge. A
 * program that writes a file through HDF5 must close the file before dapbridge uses it.
 *
 * @return static data
 */
DAP_API const dap_file_format *dap_file_hdf5(void);

#ifdef __cplusplus
}
#endif

#endif
