/* Makes distributed matrices in buffers whose other bytes are guarded. */
#include "harness.h"

#include <inttypes.h>

enum { NAN_BYTE = 0xFF /* of which floating-point numbers are NaN */ };

/* ---- places -------------------------------------------------------------------------------------------- */

/* Places of elements and copies, and not of communication padding. */
static void skip_padding(array_walk *place)
{
  while (!place->done && place->pads) walk_next(place);
}

static array_walk first_place(const matrix *m)
{
  array_walk place = m->places;
  skip_padding(&place);
  return place;
}

static void next_place(array_walk *place)
{
  walk_next(place);
  skip_padding(place);
}

static unsigned char *element_at(const matrix *m, const array_walk *place)
{
  return (unsigned char *)m->held.buffer.data + place->offset;
}

static double complex load(const matrix *m, const array_walk *place)
{
  unsigned char element[sizeof(double complex)];
  memcpy(element, element_at(m, place), (size_t)m->held.buffer.itemsize);
  if (m->held.array.swapped) turn_bytes(m->type->dtype, element);
  return element_load(m->type->dtype, element);
}

static void store(const matrix *m, const array_walk *place, double complex value)
{
  unsigned char *element = element_at(m, place);
  element_store(m->type->dtype, value, element);
  if (m->held.array.swapped) turn_bytes(m->type->dtype, element);
}

/* Where the place's element is in a whole matrix. */
static int64_t in_whole(const matrix *m, const array_walk *place)
{
  return place->global[0] + place->global[1] * m->size[0];
}

/* ---- making ------------------------------------------------------------------------------------- */

matrix matrix_make(const source *s, const element_type *type, int64_t rows, int64_t columns,
                   const int grid[2], formula *entry)
{
  matrix m = {.ndim = s->layout.ndim, .type = type, .size = {rows, s->layout.ndim == 2 ? columns : 1}};
  m.held = held_array_make(MPI_COMM_WORLD, source_layout(s, m.size, grid), type->dtype, s->form);
  memset(m.held.buffer.memory, NAN_BYTE, (size_t)m.held.buffer.bytes);
  m.held.array.swapped = s->swapped;
  m.before = zeros(m.held.buffer.bytes, 1);
  m.places = walk_begin(m.held.layout, m.held.rank, m.held.buffer.strides);
  matrix_fill(&m, entry);
  return m;
}

void matrix_free(matrix *m)
{
  walk_end(&m->places);
  held_array_free(&m->held);
  free(m->before);
  memset(m, 0, sizeof *m);
}

dap_darray matrix_operand(const matrix *m)
{
  return held_darray(&m->held);
}

/* ---- on a trial ----------------------------------------------------------------------------------- */

matrix trial_matrix(const trial *t, int64_t rows, int64_t columns, formula *entry)
{
  return matrix_make(t->source, t->type, rows, columns, t->grid, entry);
}

matrix trial_other(const trial *t, int64_t rows, int64_t columns, formula *entry)
{
  const int turned[2] = {t->grid[1], t->grid[0]};
  return matrix_make(&sources[(t->number * 11 + 3) % source_count], t->type, rows, columns,
                     t->number % 3 ? turned : t->grid, entry);
}

matrix trial_vector(const trial *t, int64_t n, bool real, formula *entry)
{
  const element_type *type = real ? element_type_of(t->type->real) : t->type;
  return vector_make(t->number % vector_source_count, type, n, entry);
}

matrix vector_make(int number, const element_type *type, int64_t n, formula *entry)
{
  return matrix_make(&vector_sources[number], type, n, 1, (const int[2]){test_nprocs(), 1}, entry);
}

/* ---- elements ------------------------------------------------------------------------------------- */

void matrix_fill(matrix *m, formula *entry)
{
  for (array_walk p = first_place(m); !p.done; next_place(&p)) store(m, &p, entry(p.global[0], p.global[1]));
  matrix_remember(m);
}

void matrix_remember(matrix *m)
{
  memcpy(m->before, m->held.buffer.memory, (size_t)m->held.buffer.bytes);
}

void matrix_set(matrix *m, int64_t i, int64_t j, double complex value)
{
  for (array_walk p = first_place(m); !p.done; next_place(&p))
    if (p.global[0] == i && p.global[1] == j) store(m, &p, value);
  matrix_remember(m);
}

void matrix_set_triangle(matrix *m, char which, double complex value)
{
  for (array_walk p = first_place(m); !p.done; next_place(&p))
    if (which == 'U' ? p.global[0] < p.global[1] : p.global[0] > p.global[1]) store(m, &p, value);
  matrix_remember(m);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool alike(double complex a, double complex b)
{
  const bool a_is_nan = isnan(creal(a)) || isnan(cimag(a)), b_is_nan = isnan(creal(b)) || isnan(cimag(b));
  return a == b || (a_is_nan && b_is_nan);
}

bool expect_copies(const matrix *m, const double complex *whole)
{
  for (array_walk p = first_place(m); !p.done; next_place(&p))
    if (!alike(load(m, &p), whole[in_whole(m, &p)]))
      return EXPECT_MSG(false, "the copy of element (%d, %d) is not the owner's", (int)p.global[0],
                        (int)p.global[1]);
  return true;
}

/* The elements, and behind them how many owners each has: one reduction for both. */
double complex *matrix_whole(const matrix *m)
{
  const int64_t count = m->size[0] * m->size[1];
  double complex *whole = zeros(3 * count, sizeof(double));
  double *owners = (double *)(whole + count);
  for (array_walk p = first_place(m); !p.done; next_place(&p))
    if (p.owned) {
      whole[in_whole(m, &p)] = load(m, &p);
      owners[in_whole(m, &p)]++;
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
  const test_buffer *b = &m->held.buffer;
  bool *element = zeros(b->bytes, 1);
  int64_t i = 0;
  for (array_walk p = first_place(m); !p.done; next_place(&p))
    memset(&element[element_at(m, &p) - b->memory], true, (size_t)b->itemsize);
  while (i < b->bytes && (element[i] || b->memory[i] == m->before[i])) i++;
  free(element);
  return EXPECT_MSG(i == b->bytes, "byte %d of the buffer is padding or a gap and was written", (int)i);
}

static bool is_same(const matrix *m)
{
  return !memcmp(m->held.buffer.memory, m->before, (size_t)m->held.buffer.bytes);
}

bool expect_same(const matrix *m)
{
  return EXPECT_MSG(is_same(m), "an array that must be kept has changed");
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
  if (m)
    good = EXPECT_MSG(m->held.array.data == m->held.buffer.data, "%s is in another buffer now", name) && good;
  return good;
}

bool expect_work(const matrix *m, const dap_linalg_use *use, bool kept, bool changes)
{
  if (kept || !use->shared) return expect_same(m);
  const bool changed = test_any(!is_same(m)), large = m->size[0] >= 2 && m->size[1] >= 2;
  return EXPECT_MSG(!changes || !large || changed, "%s is shared, but the caller's buffer was not worked in",
                    use->name);
}
