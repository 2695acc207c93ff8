/* Lists the requirements of ScaLAPACK's routines for their matrices. Sources are the "Alignment requirements"
 * in SRC/pd*.f and PBLAS/SRC/pd*_.c of ScaLAPACK 2.2. Eigenvalue and singular value drivers do not check all
 * that they need, so they were tried against serial LAPACK. */
#include "model_impl.h"
#include "nearest.h"

#include <inttypes.h>
#include <string.h>

typedef struct routine {
  const char *name;
  uint32_t dtypes; /* types for which it exists, a bit each */
  dap_matrix_needs first, others;
} routine;

#define BIT(dtype) (UINT32_C(1) << (dtype))
enum {
  REAL = BIT(DAP_F4) | BIT(DAP_F8),
  COMPLEX = BIT(DAP_C8) | BIT(DAP_C16),
  BOTH = REAL | COMPLEX,
  INTEGER = BIT(DAP_I4) | BIT(DAP_I8)
};

#define ANYWHERE(...)                                                                                        \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_ANY, __VA_ARGS__                                               \
  }
#define BLOCKS(...)                                                                                          \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_BLOCK, __VA_ARGS__                                             \
  }
#define SQUARE_BLOCKS(...) BLOCKS(.square_blocks = true, __VA_ARGS__)
#define DRIVER(...)                                                                                          \
  {                                                                                                          \
    .square_blocks = true, __VA_ARGS__                                                                       \
  }

#define PBLAS ANYWHERE(.square = false)
#define SQUARE SQUARE_BLOCKS(.square = true)
#define RHS BLOCKS(.align = DAP_ALIGN_ROWS)
/* On one row of processes trsm goes from block to block, and processes wait for each other at each block. It
 * compares volumes only, and takes that for cheaper (PBLAS/SRC/pdtrsm_.c). On a column only right-hand sides
 * travel. bridge/docs/performance.md has figures. */
#define FACTORS SQUARE_BLOCKS(.square = true, .tall_grid = true)
#define EIGEN(...) DRIVER(.square = true, __VA_ARGS__)
#define VECTORS(...) DRIVER(.square = true, .align = DAP_ALIGN_SAME, __VA_ARGS__)

/* .no_row_pair: in a matrix of 1 x 2 the reflector of the row is lost. larfg asks nrm2 for the norm of the
 * second element. A single element of a matrix of one row could be a row or a column, so nrm2 gives its norm
 * to its owner only. All other processes of the row set tau to 0, whatever the block size is. In a matrix of
 * more rows nrm2 knows the vector's direction. Sources: PBLAS/SRC/pdnrm2_.c, SRC/pdlarfg.f.
 *
 * PBLAS routines redistribute as they need. lapiv and laswp use them to swap rows; their pivots are arrays of
 * each process, not a matrix. Routines that look at each element of one matrix take any. lacpy copies each
 * process's part of A to the same place in its part of B. lascl of triangles, lansy, lanhe and lantr walk
 * along the diagonal in blocks of one dimension, and take them for blocks of the other. */
static const routine routines[] = {
    {"gemm", BOTH, PBLAS, PBLAS},
    {"gemv", BOTH, PBLAS, PBLAS},
    {"symm", BOTH, PBLAS, PBLAS},
    {"hemm", COMPLEX, PBLAS, PBLAS},
    {"syrk", BOTH, PBLAS, PBLAS},
    {"herk", COMPLEX, PBLAS, PBLAS},
    {"trsm", BOTH, PBLAS, PBLAS},
    {"trmm", BOTH, PBLAS, PBLAS},
    {"tran", REAL, PBLAS, PBLAS},
    {"tranu", COMPLEX, PBLAS, PBLAS},
    {"tranc", COMPLEX, PBLAS, PBLAS},
    {"geadd", BOTH, PBLAS, PBLAS},
    {"tradd", BOTH, PBLAS, PBLAS},
    {"gemr2d", BOTH | INTEGER, PBLAS, PBLAS},
    {"lange", BOTH, PBLAS, PBLAS},
    {"laset", BOTH, PBLAS, PBLAS},
    {"lapiv", BOTH, PBLAS, PBLAS},
    {"laswp", BOTH, PBLAS, PBLAS},
    {"lascl", BOTH, SQUARE_BLOCKS(.square = false), SQUARE_BLOCKS(.square = false)},
    {"lansy", BOTH, SQUARE, SQUARE},
    {"lanhe", COMPLEX, SQUARE, SQUARE},
    {"lantr", BOTH, SQUARE_BLOCKS(.square = false), SQUARE_BLOCKS(.square = false)},
    {"lacpy", BOTH, BLOCKS(.square = false), BLOCKS(.align = DAP_ALIGN_SAME)},
    {"geqrf", BOTH, PBLAS, PBLAS},
    {"gelqf", BOTH, ANYWHERE(.no_row_pair = true), PBLAS},
    {"orgqr", REAL, PBLAS, PBLAS},
    {"ungqr", COMPLEX, PBLAS, PBLAS},
    {"orglq", REAL, PBLAS, PBLAS},
    {"unglq", COMPLEX, PBLAS, PBLAS},
    {"gels", BOTH, BLOCKS(.no_row_pair = true), BLOCKS(.align = DAP_ALIGN_LONGER)},
    {"getrf", BOTH, SQUARE_BLOCKS(.square = false), RHS},
    {"getrs", BOTH, SQUARE, RHS},
    {"gesv", BOTH, SQUARE, RHS},
    {"potrf", BOTH, SQUARE, RHS},
    {"potrs", BOTH, FACTORS, RHS},
    {"posv", BOTH, SQUARE, RHS},
    {"getri", BOTH, SQUARE, SQUARE},
    {"potri", BOTH, SQUARE, SQUARE},
    {"gecon", BOTH, SQUARE, SQUARE},
    {"pocon", BOTH, SQUARE, SQUARE},
    {"sytrd", REAL, SQUARE, SQUARE},
    {"hetrd", COMPLEX, SQUARE, SQUARE},
    /* Complex routines refuse every other offset, real ones offsets that differ between rows and columns. */
    {"gehrd", BOTH, SQUARE, SQUARE},
    /* pdsygs2.f calls INFOG2L with IA, JA, DESCA for A and B, so diagonal blocks of B must begin where those
     * of A do. */
    {"sygst", REAL, EIGEN(.any_sources = true), VECTORS(.any_sources = true)},
    {"hegst", COMPLEX, EIGEN(.any_sources = true), VECTORS(.any_sources = true)},
    {"syev", REAL, EIGEN(.any_sources = true), VECTORS(.any_sources = true)},
    /* heev leaves Z of one element as it was. */
    {"heev", COMPLEX, EIGEN(.any_sources = true), VECTORS(.any_sources = true, .least_size = 2)},
    {"syevd", REAL, EIGEN(.several_blocks = true), VECTORS(.any_sources = false)},
    {"heevd", COMPLEX, EIGEN(.several_blocks = true), VECTORS(.any_sources = false)},
    {"syevr", REAL, EIGEN(.any_sources = false), VECTORS(.any_sources = false)},
    {"heevr", COMPLEX, EIGEN(.any_sources = false), VECTORS(.any_sources = false)},
    {"syevx", REAL, EIGEN(.any_sources = false), VECTORS(.any_sources = false)},
    {"heevx", COMPLEX, EIGEN(.any_sources = false), VECTORS(.any_sources = false)},
    {"gesvd", BOTH, DRIVER(.spans_grid = true, .no_row_pair = true), DRIVER(.align = DAP_ALIGN_SAME)},
};

static const routine *find(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++)
    if (strlen(routines[i].name) == length && !strncmp(routines[i].name, name, length)) return &routines[i];
  return NULL;
}

/* Returns the element types that a letter of ScaLAPACK's names stands for; 0: none. */
static uint32_t dtypes_of(char letter)
{
  static const struct {
    char letter;
    uint32_t dtypes;
  } letters[] = {
      {'s', BIT(DAP_F4)}, {'d', BIT(DAP_F8)}, {'c', BIT(DAP_C8)}, {'z', BIT(DAP_C16)}, {'i', INTEGER}};
  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
    if (letters[i].letter == letter) return letters[i].dtypes;
  return 0;
}

/* Returns the name behind the letters of precision. *dtypes are the types that they stand for; 0: none. */
static const char *skip_letters(const char *name, uint32_t *dtypes)
{
  if (*name == 'p') name++;
  *dtypes = dtypes_of(*name);
  return *dtypes ? name + 1 : name;
}

/* Fails because no routine has this name. Capitals are compared as small letters. */
static dap_status fail_unknown(const char *given, dap_error *err)
{
  char name[DAP_NEAREST_LONGEST + 2] = ""; /* a name of one letter too many is not near to any */
  for (size_t i = 0; given[i] && i + 1 < sizeof name; i++)
    name[i] = given[i] >= 'A' && given[i] <= 'Z' ? (char)(given[i] - 'A' + 'a') : given[i];
  uint32_t dtypes;
  const char *rest = skip_letters(name, &dtypes), *whole = NULL, *behind = NULL;
  for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++) {
    whole = dap_nearer(name, routines[i].name, whole);
    behind = dap_nearer(rest, routines[i].name, behind);
  }
  if (whole && behind && dap_count_slips(rest, behind) < dap_count_slips(name, whole)) whole = NULL;
  const int letters = whole || !dtypes ? 0 : (int)(rest - name);
  if (!whole && !behind)
    return dap_fail(err, DAP_ERR_ARG, "unknown ScaLAPACK routine '%s'; names are such as pdgesv or pzheevd",
                    given);
  return dap_fail(err, DAP_ERR_ARG, "unknown ScaLAPACK routine '%s'; did you mean '%.*s%s'?", given, letters,
                  name, whole ? whole : behind);
}

dap_status dap_matrix_needs_for(const char *name, bool first, dap_matrix_needs *needs, dap_error *err)
{
  DAP_REQUIRE(name && needs, err, DAP_ERR_ARG, "routine and needs must not be NULL");
  size_t length = strlen(name);
  if (length > 0 && name[length - 1] == '_') length--; /* Fortran compilers append it */
  uint32_t dtypes = BOTH | INTEGER;
  const routine *found = find(name, length);
  uint32_t letter = 0;
  const char *rest = found ? name : skip_letters(name, &letter);
  if (letter) {
    dtypes = letter;
    found = find(rest, length - (size_t)(rest - name));
  }
  if (!found) return fail_unknown(name, err);
  DAP_REQUIRE(found->dtypes & dtypes, err, DAP_ERR_ARG, "routine '%s' does not exist: %s is for %s elements",
              name, found->name,
              found->dtypes == REAL      ? "real"
              : found->dtypes == COMPLEX ? "complex"
                                         : "real and complex");
  *needs = first ? found->first : found->others;
  needs->dtypes = found->dtypes & dtypes;
  return DAP_OK;
}

/* ---- requirements that no copy can meet ------------------------------------------------------------- */

/* Writes the names of the types, "float32 or float64". */
static void list_dtypes(uint32_t dtypes, char *text, size_t capacity)
{
  dap_text names = dap_text_start(text, capacity);
  for (int dtype = 0; dtype < 32; dtype++)
    if (dtypes & BIT(dtype))
      dap_text_add(&names, "%s%s", names.length ? " or " : "", dap_dtype_name((dap_dtype)dtype));
}

dap_status dap_matrix_check(const dap_matrix_needs *needs, dap_dtype dtype, const int64_t size[2],
                            dap_error *err)
{
  DAP_REQUIRE(needs && size, err, DAP_ERR_ARG, "needs and size must not be NULL");
  char names[80];
  list_dtypes(needs->dtypes, names, sizeof names);
  DAP_REQUIRE(!needs->dtypes || needs->dtypes & BIT(dtype), err, DAP_ERR_BUFFER,
              "the routine takes elements of %s, the array's are %s", names, dap_dtype_name(dtype));
  DAP_REQUIRE(!needs->square || size[0] == size[1], err, DAP_ERR_ARG,
              "the routine takes a square matrix, this one is %" PRId64 " x %" PRId64, size[0], size[1]);
  const int64_t shorter = dap_smaller(size[0], size[1]);
  DAP_REQUIRE(shorter == 0 || shorter >= needs->least_size, err, DAP_ERR_UNSUPPORTED,
              "the routine is wrong with matrices smaller than %" PRId64 " x %" PRId64
              ", this one is %" PRId64 " x %" PRId64,
              needs->least_size, needs->least_size, size[0], size[1]);
  return DAP_OK;
}
