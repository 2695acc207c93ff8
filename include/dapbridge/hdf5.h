/**
 * @file
 * Distributed arrays in datasets of HDF5 files.
 *
 *     dap_file_options options = {.format = dap_file_hdf5()};
 *     dap_file_save(comm, a, "run.h5:/fields/u", &options, &err);
 *
 * Files are compatible with h5py. Datasets are contiguous and in C order, unless they grow step by step
 * (DAP_FILE_APPEND). Complex numbers are compounds of "r" and "i". bool is an enumeration of FALSE and TRUE.
 *
 * The library of this header is dapbridge_hdf5. It uses the parallel HDF5 of the same MPI. PETSc and h5py's
 * parallel build use it too, so a program has only one HDF5.
 */
#ifndef DAPBRIDGE_HDF5_H
#define DAPBRIDGE_HDF5_H

#include <dapbridge/file.h>
#include <dapbridge/mpi_family.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the format HDF5.
 *
 * A path names a file and a dataset in it: "run.h5:/fields/u". The dataset's name begins after the first ':'
 * behind ".h5" or ".hdf5", or, in paths with other endings, after the last ':'. Missing groups are created.
 *
 * DAP_FILE_REPLACE replaces the whole file. DAP_FILE_UPDATE changes or adds one dataset. DAP_FILE_APPEND adds
 * a step along the first axis of a dataset.
 *
 * Datasets with any storage can be loaded, including chunked ones with filters such as gzip. Contiguous
 * datasets, and chunked ones without filters, can be changed in place. HDF5's errors are returned in
 * dap_error, and HDF5 prints nothing. HDF5 is not thread-safe, so at most one thread may save or load with
 * this format. A program that has the file open for writing with HDF5 must close it first. Not collective.
 *
 * Sources: "HDF5 File Format Specification Version 3.0"; h5py, "Special types" (bool, complex, float16).
 *
 * @return static data
 */
DAP_API const dap_file_format *dap_file_hdf5(void);

#ifdef __cplusplus
}
#endif

#endif
