/* What the tables of calls are written in: a function of each call, and a row. */
#ifndef CALL_ROWS_H
#define CALL_ROWS_H

#include "calls.h"

enum { SIZE = 8 /* rows and columns of the matrices */ };

/* A call with the arguments `g`; what it makes is ended again. */
#define CALL(name) static dap_status call_##name(const call_arguments *g, dap_error *err)
/* With these arguments and err. */
#define DIRECT(name, ...)                                                                                    \
  CALL(name)                                                                                                 \
  {                                                                                                          \
    return name(__VA_ARGS__, err);                                                                           \
  }

/* The same with something that the call makes, `made`, and that is ended again. */
#define MAKES(declared, end, name, ...)                                                                      \
  CALL(name)                                                                                                 \
  {                                                                                                          \
    declared;                                                                                                \
    const dap_status s = name(__VA_ARGS__, err);                                                             \
    end(&made);                                                                                              \
    return s;                                                                                                \
  }

/* A row of it, by what the call needs live. */
#define ROW(name, takes, mpi, handle)                                                                        \
  {                                                                                                          \
#name, call_##name, takes, mpi, handle                                                                   \
  }
#define ALONE(name, takes) ROW(name, takes, false, NO_HANDLE)
#define COLLECTIVE(name, takes) ROW(name, takes, true, NO_HANDLE)
#define OF(handle, name) ROW(name, 0, true, handle)
/* Whose layouts it looks at. */
enum { a = 1 << A, b = 1 << B, c = 1 << C, w = 1 << W };

/* calls_elpa.c: what calls_open() and calls_close() make and end of ELPA's. */
dap_status calls_open_elpa(call_arguments *g, dap_error *err);
dap_status calls_close_elpa(call_arguments *g, dap_error *err);

extern const call calls_core[], calls_scalapack[], calls_elpa[]; /* each ends with a row without a name */

#endif
