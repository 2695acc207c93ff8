/* dapbridge/version.h: the version number, which the build also reads from here. */
#ifndef DAPBRIDGE_VERSION_H
#define DAPBRIDGE_VERSION_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the headers that a program is compiled with. While MAJOR is 0, a new MINOR may change the
 * ABI, and both are in the SONAME of the shared libraries (libdapbridge.so.0.3); from 1.0 on, only MAJOR. */
#define DAPBRIDGE_VERSION_MAJOR 0
#define DAPBRIDGE_VERSION_MINOR 3
#define DAPBRIDGE_VERSION_PATCH 0

/* The version of the library that the program runs with: "0.3.0". Static text. Not collective. */
DAP_API const char *dap_version(void);

#ifdef __cplusplus
}
#endif

#endif
