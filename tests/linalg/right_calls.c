#include "right_calls.h"

/* These diagonals make a band definite. The first one is a row of the band, the second one a vector. */
FORMULA(heavy_row, i == 0 ? 64 : entry_any(i, j))
FORMULA(heavy, 64)

#define OF(...)                                                                                              \
  {                                                                                                          \
    __VA_ARGS__                                                                                              \
  }
const right_call right_calls[] = {
#define RIGHT_CALL(name, letters, shapes, types, entries, call) {#name, letters, shapes, types, entries},
    RIGHT_CALLS(RIGHT_CALL)};

/* ---- calls --------------------------------------------------------------------------------------------- */

#define ON MPI_COMM_WORLD

dap_status right_call_run(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                          dap_error *err)
{
  static const double turned[2] = {1, 1};
  const dap_darray none = {NULL, NULL}, a = of[0], b = of[1], c = of[2], d = of[3];
  const char *l = r->letters ? r->letters : right_calls[r->function].letters;
  const refused_function f = r->function;
  const bool is_usual = r->lower == 0 && r->upper == 0, is_left_out = *l && l[1] == '0',
             makes_factors = f == LU || f == KEPT_CHOLESKY,
             uses_factors = f >= FACTORS_SOLVE && f <= FACTORS_CONDITION;
  const int more = r->is_last && test_rank() == test_nprocs() - 1;
  const int64_t lower = (is_usual ? 1 : r->lower) + more, upper = (is_usual ? 1 : r->upper) - more;
  const double tolerance = *l == 'n' ? NAN : -1, *alpha = strchr(l, 'i') ? turned : NULL;
  double numbers[4] = {5, 5, 5, 5}, errors[3], *forward = is_left_out && test_rank() == 0 ? NULL : errors;
  double *sign = *l == '0' ? NULL : numbers, *log = is_left_out ? NULL : &numbers[2],
         *value = is_left_out ? NULL : &numbers[3];
  int64_t rank = 5;
  dap_linalg_refinement refinement = {.rcond = 5};
  dap_linalg_factors *factors = NULL, **at = *l == '0' ? NULL : &factors;
  dap_status s = uses_factors ? dap_linalg_lu(ON, a, o, at, err) : DAP_OK;
  EXPECT(s == DAP_OK || !factors);
  switch (s ? FUNCTIONS : f) {
#define RIGHT_CASE(name, letters, shapes, types, entries, call)                                              \
  case name:                                                                                                 \
    s = call;                                                                                                \
    break;
    RIGHT_CALLS(RIGHT_CASE)
  case FUNCTIONS:
    break;
  }
  for (int i = 0; i < 4; i++) EXPECT(!s || numbers[i] == 5);
  EXPECT(!s || (rank == 5 && refinement.rcond == 5));
  EXPECT(!makes_factors || (s == DAP_OK) == (factors != NULL));
  dap_linalg_factors_destroy(&factors);
  return s;
}

/* ---- operands ----------------------------------------------------------------------------------------- */

const element_type *right_call_type(const refusal *r, int k, int number)
{
  static const element_type integers = {DAP_I4, DAP_I4, "i4", 0, false};
  const char *types = r->types ? r->types : right_calls[r->function].types;
  const char letter = types[k < (int)strlen(types) ? k : (int)strlen(types) - 1];
  const element_type *turn = &element_types[(number + 1) % ELEMENT_TYPES]; /* f8 first */
  if (letter == 'i') return &integers;
  if (letter == 't') return turn;
  if (letter == 'r') return element_type_of(turn->real);
  if (letter == 'c') return element_type_of(turn->real == DAP_F4 ? DAP_C8 : DAP_C16);
  return element_type_of(letter == 's' ? DAP_F4 : letter == 'z' ? DAP_C16 : DAP_F8);
}

matrix right_call_operand(const refusal *r, int k, const int64_t size[2], const source *on, int number)
{
  const bool is_vector = size[1] < 0;
  const element_type *type = right_call_type(r, k, number);
  int grid[2];
  set_grid(is_vector ? 0 : -1, grid);
  formula *usual = right_calls[r->function].entries[k], *entry = r->entries[k] ? r->entries[k] : usual;
  if (!entry) entry = type->dtype == DAP_I4 ? entry_zero : entry_any;
  matrix m = matrix_make(is_vector ? &sources[0] : on, type, size[0], size[1], grid, entry);
  m.held.array.readonly = r->readonly == k + 1;
  m.held.array.shape[1] += r->longer == k + 1;
  return m;
}
