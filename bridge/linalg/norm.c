/* Norms of matrices. */
#include "linalg_impl.h"

#include <float.h>
#include <math.h>

/* Returns the sum of the squares of this process's numbers, each times 2^-exponent. Each column is summed
 * apart, because fewer digits are lost then. */
static double sum_of_squares(const dap_linalg_part *part, int exponent)
{
  double sum = 0;
  for (int64_t col = 0; col < part->extents[1]; col++) {
    const void *numbers = dap_linalg_element(part, 0, col);
    double column = 0;
    for (int64_t i = 0; i < part->extents[0] * part->components; i++) {
      const double x = dap_linalg_get_real(part->real, numbers, i),
                   scaled = exponent ? ldexp(x, -exponent) : x;
      column += scaled * scaled;
    }
    sum += column;
  }
  return sum;
}

/* ScaLAPACK's lange adds sums of columns and processes by COMBSSQ, which takes their scales for the largest
 * element. LASSQ of LAPACK 3.10 and later returns other scales. So lange is wrong, by a factor of 10 and
 * more, if only some columns or processes have elements beyond LASSQ's thresholds. Here the squares are
 * added as they are. If their sum overflows or loses digits, they are scaled by a power of 2 and added
 * again. */
static dap_status frobenius(dap_linalg_call *call, const dap_scalapack_matrix *view, double *value)
{
  static const double least = DBL_MIN / (DBL_EPSILON * DBL_EPSILON); /* what underflows does not count */
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  double sum = sum_of_squares(&part, 0);
  DAP_TRY(dap_linalg_sums(call, &sum, 1));
  *value = sqrt(sum);
  if (isnan(sum) || (sum >= least && sum <= DBL_MAX)) return DAP_OK;
  DAP_TRY(dap_linalg_largest(call, view, 'A', value));
  if (*value == 0 || isinf(*value)) return DAP_OK;
  int exponent;
  (void)frexp(*value, &exponent);
  sum = sum_of_squares(&part, exponent);
  DAP_TRY(dap_linalg_sums(call, &sum, 1));
  *value = ldexp(sqrt(sum), exponent);
  return DAP_OK;
}

/* lange passes over NaN, because it compares. */
static dap_status largest_of_all(dap_linalg_call *call, const dap_scalapack_matrix *view, double *value)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  double sizes[DAP_LINALG_STRETCH], most[2] = {0, 0}; /* [1]: 1 if there is a NaN */
  for (int64_t col = 0; col < part.extents[1]; col++)
    for (int64_t row = 0, count; row < part.extents[0]; row += count) {
      count = dap_linalg_stretch(&part, row);
      dap_linalg_magnitudes(&part, row, col, count, sizes);
      for (int64_t i = 0; i < count; i++) {
        most[0] = fmax(most[0], sizes[i]);
        if (isnan(sizes[i])) most[1] = 1;
      }
    }
  DAP_TRY(dap_linalg_most(call, most, 2));
  *value = most[1] > 0 ? NAN : most[0];
  return DAP_OK;
}

enum { COLUMNS = 1, ROWS = 2 }; /* of the view's matrix */

/* Adds up this process's part of each column and of each row, if wanted. `local` [local rows] is zeroed. */
static void add_up(const dap_linalg_part *part, unsigned wanted, double local[], double columns[],
                   double rows[])
{
  double sizes[DAP_LINALG_STRETCH];
  for (int64_t col = 0; col < part->extents[1]; col++) {
    double *total = &columns[dap_linalg_global(part, 1, col)];
    for (int64_t row = 0, count; row < part->extents[0]; row += count) {
      count = dap_linalg_stretch(part, row);
      dap_linalg_magnitudes(part, row, col, count, sizes);
      if (wanted & COLUMNS) *total += dap_linalg_total(sizes, count);
      for (int64_t i = 0; wanted & ROWS && i < count; i++) local[row + i] += sizes[i];
    }
  }
  for (int64_t row = 0; row < part->extents[0]; row++) rows[dap_linalg_global(part, 0, row)] = local[row];
}

static double largest_of(const double sums[], int64_t count)
{
  double most = 0;
  for (int64_t i = 0; i < count && !isnan(most); i++) most = sums[i] <= most ? most : sums[i];
  return most;
}

/* Finds what lange does with '1' and 'I', but does not pass over NaN. */
static dap_status largest_sums(dap_linalg_call *call, const dap_scalapack_matrix *view, unsigned wanted,
                               double *column, double *row)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  const int64_t counts[2] = {view->n, view->m};
  double *columns;
  DAP_TRY(dap_linalg_work(call, counts[0] + counts[1] + part.extents[0], DAP_F8, &columns));
  double *rows = columns + counts[0];
  add_up(&part, wanted, rows + counts[1], columns, rows);
  if (wanted == ROWS)
    DAP_TRY(dap_linalg_sums(call, rows, counts[1]));
  else
    DAP_TRY(dap_linalg_sums(call, columns, counts[0] + (wanted & ROWS ? counts[1] : 0)));
  *column = largest_of(columns, counts[0]);
  *row = largest_of(rows, counts[1]);
  return DAP_OK;
}

/* The largest column sum of the transpose is the largest row sum. */
char dap_linalg_norm_seen(char norm, char op)
{
  if (op == 'N' || (norm != '1' && norm != 'I')) return norm;
  return norm == '1' ? 'I' : '1';
}

dap_status dap_linalg_sum_norms(dap_linalg_call *call, const dap_scalapack_matrix *view, double norms[2])
{
  const bool flip = view->op == 'T'; /* the array's columns are the matrix's rows */
  return largest_sums(call, view, COLUMNS | ROWS, &norms[flip], &norms[!flip]);
}

dap_status dap_linalg_norm_of(dap_linalg_call *call, char norm, const dap_scalapack_matrix *view,
                              double *value)
{
  if (norm == 'F') return frobenius(call, view, value);
  if (norm == 'M') return largest_of_all(call, view, value);
  double other;
  return dap_linalg_norm_seen(norm, view->op) == '1' ? largest_sums(call, view, COLUMNS, value, &other)
                                                     : largest_sums(call, view, ROWS, &other, value);
}

static dap_status find_norm(dap_linalg_call *call)
{
  double *result = call->arguments.context;
  dap_scalapack_matrix *view;
  if (dap_linalg_rows(call, 0) == 0 || dap_linalg_cols(call, 0) == 0) return DAP_OK;
  DAP_TRY(dap_linalg_view(call, 0, &(dap_scalapack_options){.routine = "lange"}, &view));
  return dap_linalg_norm_of(call, call->arguments.choices[0].value, view, result);
}

dap_status dap_linalg_norm(MPI_Comm comm, char norm, dap_darray a, double *value,
                           const dap_linalg_options *options, dap_error *err)
{
  double result = 0;
  const dap_linalg_arguments arguments = {__func__,
                                          find_norm,
                                          &result,
                                          .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2}},
                                          .choices = {{"norm", norm, "1IFM"}},
                                          .null = value ? NULL : "value"};
  DAP_TRY(dap_linalg_run(comm, &arguments, options, err));
  *value = result;
  return DAP_OK;
}
