/* Defines element types, formulas that give elements, and layouts of operands. Makes distributed matrices
 * in buffers, and checks that no other bytes of the buffers change. */
#include "harness.h"

#include <inttypes.h>

enum { NAN_BYTE = 0xFF /* a floating-point number of such bytes is NaN */ };

const element_type element_types[ELEMENT_TYPES] = {
    {DAP_F4, DAP_F4, "f4", FLT_EPSILON, false},
    {DAP_F8, DAP_F8, "f8", DBL_EPSILON, false},
    {DAP_C8, DAP_F4, "c8", FLT_EPSILON, true},
    {DAP_C16, DAP_F8, "c16", DBL_EPSILON, true},
};

const element_type *element_type_of(dap_dtype dtype)
{
  int t = 0;
  while (t < ELEMENT_TYPES - 1 && element_types[t].dtype != dtype) t++;
  return &element_types[t];
}

void element_store(dap_dtype dtype, double complex value, void *element)
{
  const float complex narrow = (float complex)value;
  const bool single = dtype == DAP_F4 || dtype == DAP_C8;
  memcpy(element, single ? (const void *)&narrow : &value, (size_t)dap_dtype_size(dtype));
}

double complex element_load(dap_dtype dtype, const void *element)
{
  double complex wide = 0;
  float complex narrow = 0;
  const bool single = dtype == DAP_F4 || dtype == DAP_C8;
  memcpy(single ? (void *)&narrow : &wide, element, (size_t)dap_dtype_size(dtype));
  return single ? (double complex)narrow : wide;
}

double complex times_power(double complex value, int exponent)
{
  return CMPLX(ldexp(creal(value), exponent), ldexp(cimag(value), exponent));
}

/* ---- formulas ----------------------------------------------------------------------------------- */

enum { LARGE_DIAGONAL = 512 };

/* Multiples of 1/512 in [-1, 1). They come from a multiplicative hash of the position. */
double complex entry_any(int64_t i, int64_t j)
{
  uint64_t h = ((uint64_t)i * 1009 + (uint64_t)j + 1) * 0x9E3779B97F4A7C15u;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return CMPLX(((double)(h >> 54) - 512) / 512, ((double)(h >> 44 & 1023) - 512) / 512);
}

EXPORTED_FORMULA(entry_dominant, entry_any(i, j) + (i == j ? 64 : 0))
EXPORTED_FORMULA(entry_hermitian,
                 i<j ? entry_any(i, j) : i> j ? conj(entry_any(j, i)) : creal(entry_any(i, j)))
EXPORTED_FORMULA(entry_definite, entry_hermitian(i, j) + (i == j ? LARGE_DIAGONAL : 0))
EXPORTED_FORMULA(entry_zero, 0)
EXPORTED_FORMULA(entry_identity, i == j)
EXPORTED_FORMULA(entry_nans, CMPLX(NAN, NAN))

/* ---- layouts ------------------------------------------------------------------------------------------- */

#define BLOCKS(rows, columns) .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {rows, columns}
#define ROTATED_4 .cut = {CUT_ROTATED, CUT_ROTATED}, .block = {4, 4}
#define CUTS(rows, columns) .cut = {CUT_##rows, CUT_##columns}

/* A routine that needs square blocks shares the first rows, shares the next ones if sizes and grid allow,
 * and moves the others. The last rows are only for vectors. */
enum { VECTOR_ROWS = 5 };
const source sources[] = {
    {{"C, blocks 5 x 5: shared as the transposed matrix", 2, BLOCKS(5, 5)}, .form = FORM_C},
    {{"F, blocks 5 x 5: shared as it is", 2, BLOCKS(5, 5)}, .form = FORM_F},
    {{"C, rotated 4 x 4: first block on the last process", 2, ROTATED_4}, .form = FORM_C},
    {{"F, rotated rows only", 2, CUTS(ROTATED, CYCLIC), .block = {4, 4}}, .form = FORM_F},
    {{"C, wide rows: a leading dimension with a gap", 2, BLOCKS(6, 6)}, .form = FORM_WIDE},
    {{"F, wide columns: a leading dimension with a gap", 2, BLOCKS(6, 6)}, .form = FORM_WIDE_F},
    {{"C, shuffled ranks: a permuted grid", 2, BLOCKS(5, 5), .shuffled = true}, .form = FORM_C},
    {{"F, shuffled, rotated", 2, CUTS(CYCLIC, ROTATED), .block = {5, 5}, .shuffled = true}, .form = FORM_F},
    {{"C, cyclic(1), assembled from dictionaries", 2, BLOCKS(1, 1), .assembled = true}, .form = FORM_C},
    {{"C, ceil blocks: block-cyclic if the blocks are square", 2, CUTS(CEIL, CEIL)}, .form = FORM_C},
    {{"F, even blocks: block-cyclic where lengths happen to fit", 2, CUTS(EVEN, EVEN)}, .form = FORM_F},
    {{"C, padded: the interior, NaN around it", 2, CUTS(PADDED, PADDED)}, .form = FORM_C},
    {{"F, padded: the interior, NaN around it", 2, CUTS(PADDED, PADDED)}, .form = FORM_F},
    {{"C, boundary padding in the matrix", 2, CUTS(EVEN, EVEN), .boundary = {{1, 1}}}, .form = FORM_C},
    {{"C, blocks 5 x 3: moved for most routines", 2, BLOCKS(5, 3)}, .form = FORM_C},
    {{"F, blocks 2 x 7: moved for most routines", 2, BLOCKS(2, 7)}, .form = FORM_F},
    {{"C, all on the last: processes without elements", 2, CUTS(LAST, LAST)}, .form = FORM_C},
    {{"C, uneven rows: moved", 2, CUTS(IRREGULAR, CYCLIC), .block = {0, 5}}, .form = FORM_C},
    {{"F, uneven both: moved", 2, CUTS(IRREGULAR, IRREGULAR)}, .form = FORM_F},
    {{"C, gaps: no contiguous axis, moved", 2, BLOCKS(5, 5)}, .form = FORM_GAPS},
    {{"C, backwards: a negative stride, moved", 2, BLOCKS(5, 5)}, .form = FORM_REVERSED},
    {{"F, upside down: moved", 2, CUTS(CEIL, CYCLIC), .block = {0, 5}}, .form = FORM_UPSIDE_F},
    {{"C, odd address: elements not aligned", 2, BLOCKS(5, 5)}, .form = FORM_ODD},
    {{"mixed orders: one here, the other there, moved", 2, BLOCKS(5, 5)}, .form = FORM_MIXED},
    {{"C, bytes swapped: moved", 2, BLOCKS(5, 5)}, .form = FORM_C, .swapped = true},
    {{"F, listed rows: moved", 2, CUTS(LOTS, EVEN), .assembled = true}, .form = FORM_F},
    {{"C, copies of rows: moved, all get results", 2, CUTS(COPIES, CYCLIC), .block = {0, 5}}, .form = FORM_C},
    {{"C, overlapping lists: moved", 2, CUTS(OVERLAPS, OVERLAPS), .shuffled = true}, .form = FORM_C},
    {{"even, gaps", 1, CUTS(EVEN, EVEN)}, .form = FORM_GAPS},
    {{"one block for each process, backwards", 1, CUTS(CEIL, EVEN)}, .form = FORM_REVERSED},
    {{"all on one process, shuffled", 1, CUTS(LAST, EVEN), .shuffled = true}, .form = FORM_C},
    {{"overlapping lists", 1, CUTS(OVERLAPS, EVEN)}, .form = FORM_C},
    {{"bytes swapped, shuffled", 1, BLOCKS(3, 0), .shuffled = true}, .form = FORM_C, .swapped = true},
};
const int vector_source_count = (int)(sizeof sources / sizeof sources[0]),
          source_count = (int)(sizeof sources / sizeof sources[0]) - VECTOR_ROWS;

/* ---- what is shared ------------------------------------------------------------------------------------ */

int source_shares(const source *s, const int64_t size[2], const int grid[2])
{
  enum { LARGE = 13 /* in smaller matrices the cuts of some rows are equal by chance */ };
  const case_layout *c = &s->layout;
  const bool plain = s->form == FORM_C || s->form == FORM_F || s->form == FORM_WIDE || s->form == FORM_WIDE_F;
  if (size[0] < LARGE || size[1] < LARGE) return -1;
  if (s->form == FORM_MIXED) return grid[0] * grid[1] > 1 ? 0 : 1;
  bool is_square = plain && c->block[0] == c->block[1];
  for (int k = 0; k < 2; k++) {
    if (c->cut[k] >= CUT_ASCENDING || (c->cut[k] == CUT_IRREGULAR && grid[k] > 1)) return 0;
    is_square = is_square && (c->cut[k] == CUT_CYCLIC || c->cut[k] == CUT_ROTATED);
  }
  if (s->swapped || (!plain && s->form != FORM_ODD)) return 0;
  return is_square ? 1 : -1;
}

/* ---- trials -------------------------------------------------------------------------------------------- */

void set_grid(int axis, int grid[2])
{
  const int nprocs = test_nprocs();
  for (int f = 1; f * f <= nprocs; f++)
    if (nprocs % f == 0) grid[0] = f, grid[1] = nprocs / f;
  if (axis >= 0) grid[axis] = nprocs, grid[1 - axis] = 1;
}

trial trial_of(int number, int64_t rows, int64_t cols)
{
  trial t = {.number = number,
             .source = &sources[number % source_count],
             .type = &element_types[(number + number / source_count) % ELEMENT_TYPES],
             .size = {rows, cols}};
  set_grid(number % 3 - 1, t.grid);
  TEST_CASE("%s, %d x %d %s over %d x %d", t.source->layout.why, (int)rows, (int)cols, t.type->name,
            t.grid[0], t.grid[1]);
  return t;
}

/* ---- places -------------------------------------------------------------------------------------------- */

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

/* Padding is as wide as the sizes allow. */
static dap_layout *layout_of(const source *s, int ndim, const int64_t size[2], const int grid[2])
{
  case_layout c = s->layout;
  test_random random = test_random_init(6);
  c.ndim = ndim;
  for (int k = 0; k < ndim; k++) {
    const int64_t each = size[k] / grid[k];
    c.size[k] = size[k];
    if (c.cut[k] == CUT_PADDED) c.halo[k] = each >= 2 ? 2 : each;
    if (each < 2) c.boundary[k][0] = c.boundary[k][1] = 0;
  }
  return case_create(&c, grid, &random);
}

matrix matrix_make(const source *s, const element_type *type, int64_t rows, int64_t columns,
                   const int grid[2], formula *entry)
{
  matrix m = {.ndim = columns < 0 ? 1 : 2, .type = type, .size = {rows, columns < 0 ? 1 : columns}};
  m.held = held_array_make(MPI_COMM_WORLD, layout_of(s, m.ndim, m.size, grid), type->dtype, s->form);
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

matrix trial_matrix(const trial *t, int64_t rows, int64_t columns, formula *entry)
{
  return matrix_make(t->source, t->type, rows, columns, t->grid, entry);
}

matrix trial_other(const trial *t, const element_type *type, int64_t rows, int64_t columns, formula *entry)
{
  const int turned[2] = {t->grid[1], t->grid[0]};
  if (columns < 0) return vector_make((t->number * 5 + 2) % vector_source_count, type, rows, entry);
  return matrix_make(&sources[(t->number * 11 + 3) % source_count], type, rows, columns,
                     t->number % 3 ? turned : t->grid, entry);
}

matrix vector_make(int number, const element_type *type, int64_t n, formula *entry)
{
  return matrix_make(&sources[number], type, n, -1, (const int[2]){test_nprocs(), 1}, entry);
}

/* ---- elements ------------------------------------------------------------------------------------- */

void matrix_fill(matrix *m, formula *entry)
{
  for (array_walk p = m->places; entry && !p.done; walk_next(&p))
    if (!p.pads) store(m, &p, entry(p.global[0], p.global[1]));
  memcpy(m->before, m->held.buffer.memory, (size_t)m->held.buffer.bytes);
}

void matrix_set(matrix *m, char where, int64_t i, int64_t j, double complex value)
{
  for (array_walk p = m->places; !p.done; walk_next(&p)) {
    const int64_t row = p.global[0], col = p.global[1];
    const bool is_set = where == 'U' ? row < col : where == 'L' ? row > col : row == i && col == j;
    if (is_set && !p.pads) store(m, &p, value);
  }
  matrix_fill(m, NULL);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool alike(double complex a, double complex b)
{
  const bool a_is_nan = isnan(creal(a)) || isnan(cimag(a)), b_is_nan = isnan(creal(b)) || isnan(cimag(b));
  return a == b || (a_is_nan && b_is_nan);
}

bool expect_copies(const matrix *m, const double complex *whole)
{
  for (array_walk p = m->places; !p.done; walk_next(&p))
    if (!p.pads && !alike(load(m, &p), whole[in_whole(m, &p)]))
      return EXPECT_MSG(false, "the copy of element (%d, %d) is not the owner's", (int)p.global[0],
                        (int)p.global[1]);
  return true;
}

/* Behind the elements stands how many owners each has, so one reduction sums both. */
double complex *matrix_whole(const matrix *m)
{
  const int64_t count = m->size[0] * m->size[1];
  double complex *whole = zeros(3 * count, sizeof(double));
  double *owners = (double *)(whole + count);
  for (array_walk p = m->places; !p.done; walk_next(&p))
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
  for (array_walk p = m->places; !p.done; walk_next(&p))
    if (!p.pads) memset(&element[element_at(m, &p) - b->memory], true, (size_t)b->itemsize);
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

bool expect_use(const dap_linalg_report *report, int index, const char *name, const matrix *m, int wanted)
{
  if (!EXPECT_MSG(index < report->count && report->count <= DAP_LINALG_USES, "%s: %d uses are reported", name,
                  report->count))
    return false;
  const dap_linalg_use *use = &report->uses[index];
  dap_linalg_use root = *use;
  int64_t moved = use->moved_bytes;
  MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const bool must_move = !use->shared && m && m->size[0] * m->size[1] > 0;
  return EXPECT_MSG(!strcmp(use->name, name), "use %d is of %s, not %s", index, use->name, name) &&
         EXPECT_MSG(use->shared == root.shared, "%s is shared here and not there", name) &&
         EXPECT_MSG(!strcmp(use->reason, root.reason), "%s: \"%s\" here, \"%s\" on rank 0", name, use->reason,
                    root.reason) &&
         EXPECT_MSG(use->reason[0], "%s: no reason", name) &&
         EXPECT_MSG(wanted < 0 || use->shared == wanted, "%s is %s: %s", name,
                    use->shared ? "shared" : "moved", use->reason) &&
         EXPECT_MSG(!use->shared || moved == 0, "%s is shared, but %" PRId64 " bytes moved", name, moved) &&
         EXPECT_MSG(!must_move || moved > 0, "%s is moved, but no bytes were: %s", name, use->reason) &&
         EXPECT_MSG(!m || m->held.array.data == m->held.buffer.data, "%s is in another buffer now", name);
}

bool expect_work(const matrix *m, const dap_linalg_use *use, bool kept, bool changes)
{
  if (kept || !use->shared) return expect_same(m);
  const bool changed = test_any(!is_same(m)), large = m->size[0] >= 2 && m->size[1] >= 2;
  return EXPECT_MSG(!changes || !large || changed, "%s is shared, but the caller's buffer was not worked in",
                    use->name);
}
