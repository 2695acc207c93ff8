/**
 * @file
 * The version number of dapbridge. The build also reads the number from this header.
 */
#ifndef DAPBRIDGE_VERSION_H
#define DAPBRIDGE_VERSION_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** First number of the headers' version. If it is 1 or more, only a change of this number changes the ABI. */
#define DAPBRIDGE_VERSION_MAJOR 0
/** Second number of the headers' version. While the first number is 0, a change of the second may change the
 * ABI. The SONAME of the shared libraries then contains both numbers (libdapbridge.so.0.3). */
#define DAPBRIDGE_VERSION_MINOR 3
/** Third number of the headers' version. It never changes the ABI. */
#define DAPBRIDGE_VERSION_PATCH 0

/**
 * Returns the version of the library that the program runs with, such as "0.3.0".
 *
 * The macros of this header give the version that the program was compiled with. Not collective.
 *
 * @return static text
 * @see dap_build_info()
 */
DAP_API const char *dap_version(void);

#ifdef __cplusplus
}
#endif

#endif
