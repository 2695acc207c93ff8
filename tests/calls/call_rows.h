/* Defines macros that define calls. A call is a function that takes call_arguments, and its row, which
 * the list of calls_first has. */
#ifndef CALL_ROWS_H
#define CALL_ROWS_H

#include "calls.h"

enum { SIZE = 8 /* rows and columns of the matrices */ };

/* Bits of the layouts that a function looks at. */
enum { a = 1 << A, b = 1 << B, c = 1 << C, w = 1 << W };

/* Layouts that a function looks at, whether it needs MPI, and the object that must be live. */
#define ALONE(takes) (takes, false, NO_HANDLE)
#define COLLECTIVE(takes) (takes, true, NO_HANDLE)
#define OF(handle) (0, true, handle)
#define MEMBERS(...) __VA_ARGS__

/* Begins a call of the function `name`, with its row; the body follows. A call ends all that it makes.
 * VARIANT defines another call of the same function; `what` is ", " and what is particular about it. */
#define CALL(name, kind) VARIANT(name, "", kind)
#define VARIANT(name, what, kind) CALL_OF_LINE(__LINE__, name, what, kind)
#define CALL_OF_LINE(line, name, what, kind) CALL_NAMED(line, name, what, kind)
#define CALL_NAMED(line, name, what, kind)                                                                   \
  static dap_status call_##line##_##name(const call_arguments *g, dap_error *err);                           \
  __attribute__((constructor)) static void add_##line##_##name(void)                                         \
  {                                                                                                          \
    static call row = {#name what, call_##line##_##name, MEMBERS kind, NULL};                                \
    calls_add(&row);                                                                                         \
  }                                                                                                          \
  static dap_status call_##line##_##name(__attribute__((unused)) const call_arguments *g, dap_error *err)

/* Defines a call with these arguments and err. */
#define DIRECT(name, kind, ...) DIRECT_VARIANT(name, "", kind, __VA_ARGS__)
#define DIRECT_VARIANT(name, what, kind, ...)                                                                \
  VARIANT(name, what, kind)                                                                                  \
  {                                                                                                          \
    return name(__VA_ARGS__, err);                                                                           \
  }

/* Defines a call that makes a dap_array `made`, or a dap_<type> *`made`, and ends it again. */
#define MAKES_ARRAY(name, kind, ...)                                                                         \
  MAKES_ENDED(dap_array made, dap_array_release, name, "", kind, __VA_ARGS__)
#define MAKES(type, name, kind, ...) MAKES_VARIANT(type, name, "", kind, __VA_ARGS__)
#define MAKES_VARIANT(type, ...) MAKES_ENDED(dap_##type *made = NULL, dap_##type##_destroy, __VA_ARGS__)
#define MAKES_ENDED(declared, end, name, what, kind, ...)                                                    \
  VARIANT(name, what, kind)                                                                                  \
  {                                                                                                          \
    declared;                                                                                                \
    const dap_status s = name(__VA_ARGS__, err);                                                             \
    end(&made);                                                                                              \
    return s;                                                                                                \
  }

/* Defines a call that views `array` with these options, and ends the view again. The call returns the
 * first status that is not DAP_OK. */
#define VIEWS(module, name, what, kind, array, ...)                                                          \
  VARIANT(name, what, kind)                                                                                  \
  {                                                                                                          \
    module##_matrix view;                                                                                    \
    const module##_options options = {__VA_ARGS__};                                                          \
    const dap_status s = module##_get(g->comm, array, DAP_READ_WRITE, &options, &view, err),                 \
                     t = module##_discard(&view, s ? NULL : err);                                            \
    return s ? s : t;                                                                                        \
  }

/* Adds a row after all others. */
void calls_add(call *row);

#endif
