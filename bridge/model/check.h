/* Defines the control macros of the library. */
#ifndef DAP_CHECK_H
#define DAP_CHECK_H

#include <dapbridge/status.h>

/* Analyzers see one file at a time. These macros tell them that the functions return the given status, which
 * is not DAP_OK. */
#if defined(__clang_analyzer__) || defined(DAP_ANALYZED)
#define dap_fail(err, status, ...) ((void)dap_fail((err), (status), __VA_ARGS__), (status))
#define dap_fail_rule(err, rule, status, ...)                                                                \
  ((void)dap_fail_rule((err), (rule), (status), __VA_ARGS__), (status))
#endif

/* Returns the status of a call that failed. */
#define DAP_TRY(call)                                                                                        \
  do {                                                                                                       \
    const dap_status dap_try_status_ = (call);                                                               \
    if (dap_try_status_) return dap_try_status_;                                                             \
  } while (0)

/* Returns `status` with the message that follows unless `condition` holds. */
#define DAP_REQUIRE(condition, err, status, ...)                                                             \
  do {                                                                                                       \
    if (!(condition)) return dap_fail((err), (status), __VA_ARGS__);                                         \
  } while (0)

/* Does the same for a rule of the protocol, by its number. */
#define DAP_RULE(rule, condition, err, status, ...)                                                          \
  do {                                                                                                       \
    if (!(condition)) return dap_fail_rule((err), (rule), (status), __VA_ARGS__);                            \
  } while (0)

#endif
