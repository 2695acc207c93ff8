/* What ScaLAPACK's routines demand of their matrices. Sources: the "Alignment requirements" in the comments of
 * SRC/pd*.f and PBLAS/SRC/pd*_.c of ScaLAPACK 2.2; and trials against serial LAPACK for the eigenvalue and
 * singular value drivers, which do not check all that they need. */
#include "model_impl.h"

#include <string.h>

typedef struct routine {
  const char *name;
  dap_matrix_needs first, others;
} routine;

#define PBLAS                                                                                                \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_ANY                                                            \
  }
#define BLOCKS(...)                                                                                          \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_BLOCK, __VA_ARGS__                                             \
  }
#define SQUARE(...) BLOCKS(.square_blocks = true, __VA_ARGS__)
#define DRIVER(...)                                                                                          \
  {                                                                                                          \
    .square_blocks = true, __VA_ARGS__                                                                       \
  }

#define RHS BLOCKS(.align = DAP_ALIGN_ROWS)

static const routine routines[] = {
    {"gemm", PBLAS, PBLAS},
    {"gemv", PBLAS, PBLAS},
    {"symm", PBLAS, PBLAS},
    {"hemm", PBLAS, PBLAS},
    {"syrk", PBLAS, PBLAS},
    {"herk", PBLAS, PBLAS},
    {"trsm", PBLAS, PBLAS},
    {"trmm", PBLAS, PBLAS},
    {"tran", PBLAS, PBLAS},
    {"tranu", PBLAS, PBLAS},
    {"tranc", PBLAS, PBLAS},
    {"geadd", PBLAS, PBLAS},
    {"tradd", PBLAS, PBLAS},
    {"lange", PBLAS, PBLAS},
    {"lacpy", PBLAS, PBLAS},
    {"laset", PBLAS, PBLAS},
    {"gemr2d", PBLAS, PBLAS},
    {"geqrf", PBLAS, PBLAS},
    {"gelqf", PBLAS, PBLAS},
    {"orgqr", PBLAS, PBLAS},
    {"ungqr", PBLAS, PBLAS},
    {"orglq", PBLAS, PBLAS},
    {"unglq", PBLAS, PBLAS},
    {"gels", BLOCKS(), BLOCKS(.align = DAP_ALIGN_LONGER)},
    {"getrf", SQUARE(), RHS},
    {"getrs", SQUARE(), RHS},
    {"gesv", SQUARE(), RHS},
    {"potrf", SQUARE(), RHS},
    {"potrs", SQUARE(), RHS},
    {"posv", SQUARE(), RHS},
    {"getri", SQUARE(), SQUARE()},
    {"potri", SQUARE(), SQUARE()},
    {"gecon", SQUARE(), SQUARE()},
    {"pocon", SQUARE(), SQUARE()},
    {"sytrd", SQUARE(), SQUARE()},
    {"hetrd", SQUARE(), SQUARE()},
    {"gehrd", {.square_blocks = true, .any_sources = true, .offset = DAP_OFFSET_ANY}, SQUARE()},
    {"syev", DRIVER(.any_sources = true), DRIVER(.any_sources = true, .align = DAP_ALIGN_SAME)},
    {"heev", DRIVER(.any_sources = true), DRIVER(.any_sources = true, .align = DAP_ALIGN_SAME)},
    {"syevd", DRIVER(.several_blocks = true), DRIVER(.align = DAP_ALIGN_SAME)},
    {"heevd", DRIVER(.several_blocks = true), DRIVER(.align = DAP_ALIGN_SAME)},
    {"syevr", DRIVER(), DRIVER(.align = DAP_ALIGN_SAME)},
    {"heevr", DRIVER(), DRIVER(.align = DAP_ALIGN_SAME)},
    {"syevx", DRIVER(), DRIVER(.align = DAP_ALIGN_SAME)},
    {"heevx", DRIVER(), DRIVER(.align = DAP_ALIGN_SAME)},
    {"gesvd", DRIVER(.spans_grid = true), DRIVER(.align = DAP_ALIGN_SAME)},
};

static const routine *find(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++)
    if (strlen(routines[i].name) == length && !strncmp(routines[i].name, name, length)) return &routines[i];
  return NULL;
}

dap_status dap_matrix_needs_for(const char *name, bool first, dap_matrix_needs *needs, dap_error *err)
{
  DAP_REQUIRE(name && needs, err, DAP_ERR_ARG, "routine and needs must not be NULL");
  size_t length = strlen(name);
  if (length > 0 && name[length - 1] == '_') length--; /* as Fortran compilers spell it */
  const routine *found = find(name, length);
  const char *rest = name;
  if (!found && *rest == 'p') rest++;
  if (!found && *rest && strchr("sdcz", *rest)) {
    rest++;
    found = find(rest, length - (size_t)(rest - name));
  }
  DAP_REQUIRE(found, err, DAP_ERR_ARG, "routine \"%s\" is none whose needs are known", name);
  *needs = first ? found->first : found->others;
  return DAP_OK;
}
