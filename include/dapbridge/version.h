/* dapbridge/version.h: which release this is. The only place that says so: the build reads it here. */
#ifndef DAPBRIDGE_VERSION_H
#define DAPBRIDGE_VERSION_H

#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the headers that a program is compiled with. While MAJOR is 0 another MINOR may change the ABI, and the shared
 * libraries are called after both (libdapbridge.so.0.2); from 1.0 on after MAJOR alone. */
#define DAPBRIDGE_VERSION_MAJOR 0
#define DAPBRIDGE_VERSION_MINOR 2
#define DAPBRIDGE_VERSION_PATCH 0

/* Of the library that the program runs with: "0.2.0". Not collective. Never NULL; the text is static. */
DAP_API const char *dap_version(void);

#ifdef __cplusplus
}
#endif

#endif
