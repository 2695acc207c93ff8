/* Defines ScaLAPACK's p?gemr2d by their Fortran and C names, and the older p?gemr2do without the last
 * argument. bridge/docs/drop-in.md says how they differ from ScaLAPACK's. None of them calls another one,
 * because the program's linker may find a different function of that name. */
#include "gemr2d_impl.h"

#define MOVE(name, bytes, m_, n_, a_, ia, ja, desca, b_, ib, jb, descb, context_, has)                       \
  dap_gemr2d_move(&(dap_gemr2d_arguments){.routine = (name),                                                 \
                                          .itemsize = (bytes),                                               \
                                          .m = (m_),                                                         \
                                          .n = (n_),                                                         \
                                          .a = (a_),                                                         \
                                          .b = (b_),                                                         \
                                          .start = {{(ia), (ja)}, {(ib), (jb)}},                             \
                                          .descs = {(desca), (descb)},                                       \
                                          .context = (context_),                                             \
                                          .has_context = (has)})

#define ENTRIES(letter, LETTER, bytes)                                                                       \
  DAP_API void Cp##letter##gemr2d(                                                                           \
      dap_scalapack_int m, dap_scalapack_int n, const void *a, dap_scalapack_int ia, dap_scalapack_int ja,   \
      const dap_scalapack_int *desca, void *b, dap_scalapack_int ib, dap_scalapack_int jb,                   \
      const dap_scalapack_int *descb, dap_scalapack_int context)                                             \
  {                                                                                                          \
    MOVE("P" LETTER "GEMR2D", bytes, m, n, a, ia, ja, desca, b, ib, jb, descb, context, true);               \
  }                                                                                                          \
  DAP_API void Cp##letter##gemr2do(dap_scalapack_int m, dap_scalapack_int n, const void *a,                  \
                                   dap_scalapack_int ia, dap_scalapack_int ja,                               \
                                   const dap_scalapack_int *desca, void *b, dap_scalapack_int ib,            \
                                   dap_scalapack_int jb, const dap_scalapack_int *descb)                     \
  {                                                                                                          \
    MOVE("P" LETTER "GEMR2DO", bytes, m, n, a, ia, ja, desca, b, ib, jb, descb, -1, false);                  \
  }                                                                                                          \
  DAP_API void p##letter##gemr2d_(                                                                           \
      const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a, const dap_scalapack_int *ia,    \
      const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,     \
      const dap_scalapack_int *jb, const dap_scalapack_int *descb, const dap_scalapack_int *context)         \
  {                                                                                                          \
    MOVE("P" LETTER "GEMR2D", bytes, *m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *context, true);        \
  }                                                                                                          \
  DAP_API void p##letter##gemr2do_(const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,    \
                                   const dap_scalapack_int *ia, const dap_scalapack_int *ja,                 \
                                   const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,     \
                                   const dap_scalapack_int *jb, const dap_scalapack_int *descb)              \
  {                                                                                                          \
    MOVE("P" LETTER "GEMR2DO", bytes, *m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, -1, false);            \
  }

ENTRIES(i, "I", sizeof(dap_scalapack_int))
ENTRIES(s, "S", 4)
ENTRIES(d, "D", 8)
ENTRIES(c, "C", 8)
ENTRIES(z, "Z", 16)
