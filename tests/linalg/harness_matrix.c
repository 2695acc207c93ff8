/* Makes distributed matrices in buffers whose other bytes are guarded. */
#include "harness.h"

#include <inttypes.h>

enum { NAN_BYTE = 0xFF /* of which floating-point numbers are NaN */ };

/* ---- local positions ----------------------------------------------------------------------------------- */

/* Goes through those that are no communication padding. Started with a zeroed place. */
typedef struct place {
  int64_t next; /* position in C order */
  int64_t i, j; /* global */
  bool owned;   /* else a copy of another process's element */
  unsigned char *element;
} place;

/* Asks the layout what is where, once for each matrix. */
static void places_look_up(matrix *m)
{
  int coords[DAP_MAX_NDIM] = {0};
  const bool empty = dap_array_count(&m->array) == 0;
  dap_layout_coords(m->layout, m->rank, coords);
  for (int k = 0; k < m->ndim; k++) {
    int64_t halo[2];
    dap_layout_halo(m->layout, k, coords[k], halo);
    m->global[k] = zeros(m->array.shape[k], sizeof *m->global[k]);
    m->owned[k] = zeros(m->array.shape[k], sizeof *m->owned[k]);
    for (int64_t i = 0; i < m->array.shape[k] && !empty; i++) {
      int64_t local[2] = {0}, global[2] = {0};
      dap_error err = {0};
      local[k] = i;
      EXPECT_OK(dap_layout_globalize(m->layout, m->rank, local, global, NULL, &err), &err);
      m->global[k][i] = i < halo[0] || i >= m->array.shape[k] - halo[1] ? -1 : global[k];
      m->owned[k][i] = dap_layout_is_owned(m->layout, k, coords[k], i);
    }
  }
}

static bool place_next(const matrix *m, place *p)
{
  const int64_t columns = m->ndim == 2 ? m->array.shape[1] : 1;
  while (p->next < m->array.shape[0] * columns) {
    const int64_t r = p->next / columns, c = p->next % columns;
    p->next++;
    p->i = m->global[0][r], p->j = m->ndim == 2 ? m->global[1][c] : 0;
    if (p->i < 0 || p->j < 0) continue;
    p->owned = m->owned[0][r] && (m->ndim == 1 || m->owned[1][c]);
    p->element = (unsigned char *)m->array.data + r * m->array.strides[0] +
                 (m->ndim == 2 ? c * m->array.strides[1] : 0);
    return true;
  }
  return false;
}

/* Copies an element and turns the bytes of its one or two numbers round if the array is swapped. */
static void copy_element(const matrix *m, const unsigned char *from, unsigned char *to)
{
  const int64_t bytes = dap_dtype_size(m->type->dtype), number = dap_dtype_size(m->type->real);
  for (int64_t i = 0; i < bytes; i++)
    to[i] = from[m->array.swapped ? i - i % number + number - 1 - i % number : i];
}

static double complex place_load(const matrix *m, const place *p)
{
  unsigned char element[sizeof(double complex)];
  copy_element(m, p->element, element);
  return element_load(m->type->dtype, element);
}

static void place_store(const matrix *m, const place *p, double complex value)
{
  unsigned char element[sizeof(double complex)];
  element_store(m->type->dtype, value, element);
  copy_element(m, element, p->element);
}

/* ---- making ------------------------------------------------------------------------------------- */

/* A buffer as the row says; all its bytes NAN_BYTE. */
static test_buffer make_buffer(const source *s, const dap_layout *layout, int rank, int64_t itemsize)
{
  test_random random = test_random_init(1);
  const bool wide = s->memory == MEMORY_WIDE || s->memory == MEMORY_GAPS; /* room for two, used by one */
  const bool fortran = s->order == 'F' || (s->memory == MEMORY_MIXED && rank % 2 == 1);
  const int ndim = dap_layout_ndim(layout), fast = fortran ? 0 : ndim - 1;
  test_buffer b =
      test_buffer_make(layout, rank, wide ? 2 * itemsize : itemsize, fortran ? FORM_F : FORM_C, &random);
  memset(b.memory, NAN_BYTE, (size_t)b.bytes);
  b.itemsize = itemsize;
  if (s->memory == MEMORY_WIDE) b.strides[fast] = itemsize;
  if (!b.data) return b;
  if (s->memory == MEMORY_ODD) b.data = (char *)b.data + 1;
  if (s->memory == MEMORY_REVERSE || s->memory == MEMORY_UPSIDE) {
    const int axis = s->memory == MEMORY_REVERSE ? fast : ndim - 1 - fast;
    b.data = (char *)b.data + (b.shape[axis] - 1) * b.strides[axis];
    b.strides[axis] = -b.strides[axis];
  }
  return b;
}

matrix matrix_make(const source *s, const element_type *type, int ndim, const int64_t size[2],
                   const int grid[2], formula *entry)
{
  matrix m = {.ndim = ndim, .rank = test_rank(), .type = type, .size = {size[0], ndim == 2 ? size[1] : 1}};
  dap_error err = {0};
  m.layout = source_layout(s, ndim, size, grid);
  m.buffer = make_buffer(s, m.layout, m.rank, dap_dtype_size(type->dtype));
  m.before = zeros(m.buffer.bytes, 1);
  EXPECT_OK(dap_array_init(&m.array, m.layout, m.rank, type->dtype, DAP_ORDER_C, m.buffer.memory, &err),
            &err);
  m.array.data = m.buffer.data;
  m.array.swapped = s->swapped;
  for (int k = 0; k < ndim; k++) m.array.strides[k] = m.buffer.strides[k];
  places_look_up(&m);
  matrix_fill(&m, entry);
  return m;
}

void matrix_free(matrix *m)
{
  dap_array_release(&m->array); /* its indices; the buffer is not its own */
  dap_layout_destroy(&m->layout);
  test_buffer_free(&m->buffer);
  for (int k = 0; k < m->ndim; k++) {
    free(m->global[k]);
    free(m->owned[k]);
  }
  free(m->before);
  memset(m, 0, sizeof *m);
}

dap_darray matrix_operand(const matrix *m)
{
  return (dap_darray){m->layout, &m->array};
}

/* ---- on a trial ----------------------------------------------------------------------------------- */

matrix trial_matrix(const trial *t, int64_t rows, int64_t columns, formula *entry)
{
  return matrix_make(t->source, t->type, 2, (const int64_t[2]){rows, columns}, t->grid, entry);
}

matrix trial_other(const trial *t, int64_t rows, int64_t columns, formula *entry)
{
  const int turned[2] = {t->grid[1], t->grid[0]};
  return matrix_make(&sources[(t->number * 11 + 3) % source_count], t->type, 2,
                     (const int64_t[2]){rows, columns}, t->number % 3 ? turned : t->grid, entry);
}

matrix trial_vector(const trial *t, int64_t n, bool real, formula *entry)
{
  const element_type *type = real ? element_type_of(t->type->real) : t->type;
  return matrix_make(&vector_sources[t->number % vector_source_count], type, 1, (const int64_t[2]){n, 1},
                     (const int[2]){test_nprocs(), 1}, entry);
}

/* ---- elements ------------------------------------------------------------------------------------- */

void matrix_fill(matrix *m, formula *entry)
{
  for (place p = {0}; place_next(m, &p);) place_store(m, &p, entry(p.i, p.j));
  matrix_remember(m);
}

void matrix_remember(matrix *m)
{
  memcpy(m->before, m->buffer.memory, (size_t)m->buffer.bytes);
}

void matrix_set(matrix *m, int64_t i, int64_t j, double complex value)
{
  for (place p = {0}; place_next(m, &p);)
    if (p.i == i && p.j == j) place_store(m, &p, value);
  matrix_remember(m);
}

void matrix_set_triangle(matrix *m, char which, double complex value)
{
  for (place p = {0}; place_next(m, &p);)
    if (which == 'U' ? p.i < p.j : p.i > p.j) place_store(m, &p, value);
  matrix_remember(m);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool is_nan(double complex a)
{
  return isnan(creal(a)) || isnan(cimag(a));
}

static bool alike(double complex a, double complex b)
{
  return a == b || (is_nan(a) && is_nan(b));
}

bool expect_copies(const matrix *m, const double complex *whole)
{
  for (place p = {0}; place_next(m, &p);)
    if (!alike(place_load(m, &p), whole[p.i + p.j * m->size[0]]))
      return EXPECT_MSG(false, "the copy of element (%d, %d) is not the owner's", (int)p.i, (int)p.j);
  return true;
}

/* The elements, and behind them how many owners each has: one reduction for both. */
double complex *matrix_whole(const matrix *m)
{
  const int64_t count = m->size[0] * m->size[1];
  double complex *whole = zeros(3 * count, sizeof(double));
  double *owners = (double *)(whole + count);
  for (place p = {0}; place_next(m, &p);)
    if (p.owned) {
      whole[p.i + p.j * m->size[0]] = place_load(m, &p);
      owners[p.i + p.j * m->size[0]]++;
    }
  MPI_Allreduce(MPI_IN_PLACE, whole, (int)(3 * count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int64_t i = 0; i < count; i++)
    if (owners[i] != 1) EXPECT_MSG(false, "element %d has %g owners", (int)i, owners[i]);
  expect_copies(m, whole);
  return whole;
}

/* ---- checks --------------------------------------------------------------------------------------- */

bool expect_padding(const matrix *m)
{
  bool *element = zeros(m->buffer.bytes, 1);
  int64_t i = 0;
  for (place p = {0}; place_next(m, &p);)
    memset(&element[p.element - m->buffer.memory], true, (size_t)m->buffer.itemsize);
  while (i < m->buffer.bytes && (element[i] || m->buffer.memory[i] == m->before[i])) i++;
  free(element);
  return EXPECT_MSG(i == m->buffer.bytes, "byte %d of the buffer is padding or a gap and was written",
                    (int)i);
}

bool expect_same(const matrix *m)
{
  return EXPECT_MSG(!memcmp(m->buffer.memory, m->before, (size_t)m->buffer.bytes),
                    "an array that must be kept has changed");
}

bool matrix_changed(const matrix *m)
{
  int changed = memcmp(m->buffer.memory, m->before, (size_t)m->buffer.bytes) != 0;
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return changed != 0;
}

/* ---- reports ------------------------------------------------------------------------------------------- */

/* The report must be the same on all processes, but for the bytes. */
static void expect_agreed(const dap_linalg_use *use)
{
  dap_linalg_use root = *use;
  MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, MPI_COMM_WORLD);
  EXPECT_MSG(use->shared == root.shared, "%s is shared here and not there", use->name);
  EXPECT_MSG(!strcmp(use->reason, root.reason), "%s: \"%s\" here, \"%s\" on rank 0", use->name, use->reason,
             root.reason);
}

bool expect_use(const dap_linalg_report *report, int index, const char *name, const matrix *m, int wanted)
{
  if (!EXPECT_MSG(index < report->count && report->count <= DAP_LINALG_USES, "%s: %d uses are reported", name,
                  report->count))
    return false;
  const dap_linalg_use *use = &report->uses[index];
  int64_t moved = use->moved_bytes;
  expect_agreed(use);
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  bool good = EXPECT_MSG(!strcmp(use->name, name), "use %d is of %s, not %s", index, use->name, name);
  good = EXPECT_MSG(use->reason[0], "%s: no reason", name) && good;
  good = EXPECT_MSG(wanted < 0 || use->shared == wanted, "%s is %s: %s", name,
                    use->shared ? "shared" : "moved", use->reason) &&
         good;
  if (use->shared)
    good = EXPECT_MSG(moved == 0, "%s is shared, but %" PRId64 " bytes moved", name, moved) && good;
  if (!use->shared && m && m->size[0] * m->size[1] > 0)
    good = EXPECT_MSG(moved > 0, "%s is moved, but no bytes were: %s", name, use->reason) && good;
  if (m) good = EXPECT_MSG(m->array.data == m->buffer.data, "%s is in another buffer now", name) && good;
  return good;
}

bool expect_work(const matrix *m, const dap_linalg_use *use, bool kept, bool changes)
{
  if (kept || !use->shared) return expect_same(m);
  const bool changed = matrix_changed(m), large = m->size[0] >= 2 && m->size[1] >= 2;
  return EXPECT_MSG(!changes || !large || changed, "%s is shared, but the caller's buffer was not worked in",
                    use->name);
}
