/* Computes norms of matrices. */
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

/* Compilers vectorise these loops. */
static void of_complex(const dap_linalg_part *part, const void *at, int64_t count, double to[])
{
  const float *single = at;
  const double *wide = at;
  for (int64_t i = 0; i < count; i++)
    to[i] = part->real == DAP_F4 ? hypot((double)single[2 * i], (double)single[2 * i + 1])
                                 : hypot(wide[2 * i], wide[2 * i + 1]);
}

enum { STRETCH = 512 };

/* Returns how many rows are taken at a time, from a local row on. */
static int64_t stretch_from(const dap_linalg_part *part, int64_t row)
{
  const int64_t left = part->extents[0] - row;
  return left < STRETCH ? left : STRETCH;
}

/* Sets `to` to the absolute values of `count` elements of a column. */
static void magnitudes(const dap_linalg_part *part, int64_t row, int64_t col, int64_t count, double to[])
{
  const void *at = dap_linalg_element(part, row, col);
  if (part->components == 2) {
    of_complex(part, at, count, to);
  } else if (part->real == DAP_F4) {
    for (int64_t i = 0; i < count; i++) to[i] = fabs((double)((const float *)at)[i]);
  } else {
    for (int64_t i = 0; i < count; i++) to[i] = fabs(((const double *)at)[i]);
  }
}

static double total_of(const double values[], int64_t count)
{
  enum { LANES = 8 }; /* additions that do not wait for each other, and lose fewer digits */
  double lanes[LANES] = {0}, total = 0;
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int k = 0; k < LANES; k++) lanes[k] += values[i + k];
  for (; i < count; i++) total += values[i];
  for (int k = 0; k < LANES; k++) total += lanes[k];
  return total;
}

/* lange passes over NaN, because it compares. */
static dap_status largest_of_all(dap_linalg_call *call, const dap_scalapack_matrix *view, double *value)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  double sizes[STRETCH], most[2] = {0, 0}; /* [1]: 1 if there is a NaN */
  for (int64_t col = 0; col < part.extents[1]; col++)
    for (int64_t row = 0, count; row < part.extents[0]; row += count) {
      count = stretch_from(&part, row);
      magnitudes(&part, row, col, count, sizes);
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
  double sizes[STRETCH];
  for (int64_t col = 0; col < part->extents[1]; col++) {
    double *total = &columns[dap_linalg_global(part, 1, col)];
    for (int64_t row = 0, count; row < part->extents[0]; row += count) {
      count = stretch_from(part, row);
      magnitudes(part, row, col, count, sizes);
      if (wanted & COLUMNS) *total += total_of(sizes, count);
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

/* ---- by one triangle ----------------------------------------------------------------------------------- */

/* ScaLAPACK's lansy and lanhe need square blocks on the diagonals of square grids (model/routines.c). The
 * sums here need nothing. */

/* Adds the elements of a column that are in the triangle, and their mirror images, which are in a row. A
 * stretch is within one block of rows, which follow each other in the matrix. Imaginary parts on the diagonal
 * count as 0. */
static void add_column(const dap_linalg_part *part, char uplo, int64_t col, double sums[])
{
  const int64_t block = part->view->desc[DAP_MB], j = dap_linalg_global(part, 1, col);
  double sizes[STRETCH], diagonal[2];
  for (int64_t row = 0, count; row < part->extents[0]; row += count) {
    const int64_t first = dap_linalg_global(part, 0, row);
    count = stretch_from(part, row);
    if (count > block - row % block) count = block - row % block;
    if (uplo == 'L' ? first + count <= j : first > j) continue;
    magnitudes(part, row, col, count, sizes);
    for (int64_t k = 0; k < count; k++) {
      const int64_t i = first + k;
      if (uplo == 'L' ? i < j : i > j) continue;
      if (i == j) {
        dap_linalg_value(part, row + k, col, diagonal);
        sizes[k] = fabs(diagonal[0]);
      } else {
        sums[i] += sizes[k];
      }
      sums[j] += sizes[k];
    }
  }
}

dap_status dap_linalg_hermitian_norm(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *view,
                                     double *value)
{
  double *sums;
  DAP_TRY(dap_linalg_work(call, view->n, DAP_F8, &sums));
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t col = 0; col < part.extents[1]; col++) add_column(&part, uplo, col, sums);
  DAP_TRY(dap_linalg_sums(call, sums, view->n));
  *value = 0;
  for (int64_t j = 0; j < view->n; j++) *value = fmax(*value, sums[j]);
  return DAP_OK;
}

/* ---- the function ---------------------------------------------------------------------------------- */

static dap_status find_norm(dap_linalg_call *call)
{
  double *result = call->arguments.context;
  dap_scalapack_matrix *view;
  if (dap_linalg_rows(call, 0) == 0 || dap_linalg_cols(call, 0) == 0) return DAP_OK;
  DAP_TRY(dap_linalg_view(call, 0, &(dap_scalapack_options){.routine = "lange"}, &view));
  return dap_linalg_norm_of(call, dap_linalg_chosen(call, 0), view, result);
}

dap_status dap_linalg_norm(MPI_Comm comm, char norm, dap_darray a, double *value,
                           const dap_linalg_options *options, dap_error *err)
{
  double result = 0;
  const dap_linalg_arguments arguments = {__func__,
                                          find_norm,
                                          &result,
                                          .operands = {{"A", a, DAP_LINALG_INPUT, "mn"}},
                                          .choices = {{"norm", norm, "1IFM"}},
                                          .null = value ? NULL : "value"};
  DAP_TRY(dap_linalg_run(comm, &arguments, options, err));
  *value = result;
  return DAP_OK;
}
