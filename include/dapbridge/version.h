/**
 * @file
 * The version number of dapbridge. dapbridge's build system also reads the number from this header.
 */
#ifndef DAPBRIDGE_VERSION_H
#define DAPBRIDGE_VERSION_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** First number of the headers' version. From 1.0 on, the ABI changes only when this number changes. */
#define DAPBRIDGE_VERSION_MAJOR 0
/** Second number of the headers' version. While the first number is 0, the ABI may change when the second
 * number changes. So the SONAME of the shared libraries contains both numbers (libdapbridge.so.0.3). */
#define DAPBRIDGE_VERSION_MINOR 3
/** Third number of the headers' version. The ABI does not change when only this number changes. */
#define DAPBRIDGE_VERSION_PATCH 0

/**
 * Returns the version of the library with which the program runs, such as "0.3.0".
 *
 * The macros of this header give the version with which the program was compiled. Not collective.
 *
 * @return static string
 * @see dap_build_info()
 */
DAP_API const char *dap_version(void);

#ifdef __cplusplus
}
#endif

#endif
