/**
 * @file
 * Includes the headers of dapbridge's core.
 *
 * dapbridge.h does not include the headers of adapters, because these need the headers of the adapted
 * libraries. A program includes the adapter headers that it uses: <dapbridge/scalapack.h>,
 * <dapbridge/linalg.h>, other headers whose names begin with linalg_, <dapbridge/elpa.h>,
 * <dapbridge/petsc.h>, <dapbridge/petsc_vector.h>, <dapbridge/petsc_matrix.h> and <dapbridge/hdf5.h>. Authors
 * of adapters include <dapbridge/adapter.h> and <dapbridge/matrix.h>. Authors of file formats include
 * <dapbridge/file_format.h>.
 */
#ifndef DAPBRIDGE_H
#define DAPBRIDGE_H

#include <dapbridge/array.h>
#include <dapbridge/build_info.h>
#include <dapbridge/comm.h>
#include <dapbridge/dialect.h>
#include <dapbridge/dim.h>
#include <dapbridge/draw.h>
#include <dapbridge/dtype.h>
#include <dapbridge/export.h>
#include <dapbridge/file.h>
#include <dapbridge/join.h>
#include <dapbridge/json.h>
#include <dapbridge/layout.h>
#include <dapbridge/log.h>
#include <dapbridge/parse.h>
#include <dapbridge/part.h>
#include <dapbridge/picture.h>
#include <dapbridge/plan.h>
#include <dapbridge/rules.h>
#include <dapbridge/shared.h>
#include <dapbridge/status.h>
#include <dapbridge/version.h>

#endif
