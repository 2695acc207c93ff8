/* Arrays as matrices: what is shared and as what, what is moved, and every element of both. */
#include "matrix_check.h"
#include "variants.h"

/* What DAP_PETSC_ANY makes of it. */
typedef enum kind { DENSE, TRANSPOSE, SHELL, COPY, ANY_KIND } kind;

typedef struct matrix_row {
  field_row array;
  kind several;       /* on several processes; with SQUARE on those numbers that make a grid of both axes */
  kind one;           /* on one */
  const char *reason; /* part of the reason on several processes, or NULL */
  int64_t block_size[2];
} matrix_row;

/* clang-format off */
static const matrix_row rows[] = {
  {.array = {"F order, rows: MATDENSE", 2, {13, 5}, ALONG_FIRST, .form = FORM_F},
   .several = DENSE, .one = DENSE, .reason = "a MATDENSE"},
  {.array = {"F order, square: vectors along the columns are spread alike", 2, {12, 12}, ALONG_FIRST,
    .form = FORM_F}, .several = DENSE, .one = DENSE, .block_size = {2, 3}},
  {.array = {"F order, irregular rows", 2, {17, 6}, ALONG_FIRST, IRREGULAR, .form = FORM_F},
   .several = DENSE, .one = DENSE, .block_size = {4, 0}},
  {.array = {"F order, irregular rows, square", 2, {14, 14}, ALONG_FIRST, IRREGULAR, .form = FORM_F},
   .several = DENSE, .one = DENSE},
  {.array = {"F order, ceiling division", 2, {13, 7}, ALONG_FIRST, CEIL, .form = FORM_F},
   .several = DENSE, .one = DENSE, .block_size = {0, 2}},
  {.array = {"F order, padded rows: a leading dimension", 2, {23, 5}, ALONG_FIRST, .halo = {1, 1},
    .form = FORM_F}, .several = DENSE, .one = DENSE},
  {.array = {"F order, padded rows, square, boundary padding is elements", 2, {18, 18}, ALONG_FIRST,
    .halo = {2, 0}, .boundary = {{1, 2}, {1, 1}}, .form = FORM_F}, .several = DENSE, .one = DENSE},
  {.array = {"F order, periodic rows whose padding wraps", 2, {18, 6}, ALONG_FIRST, .halo = {1, 0},
    .periodic = {1}, .wraps = {1}, .form = FORM_F}, .several = DENSE, .one = DENSE},
  {.array = {"F order, columns on one process whose padding wraps", 2, {18, 6}, ALONG_FIRST, .halo = {0, 1},
    .periodic = {0, 1}, .wraps = {0, 1}, .form = FORM_F}, .several = DENSE, .one = DENSE},
  {.array = {"F order, empty processes", 2, {9, 4}, ALONG_FIRST, HOLES, .form = FORM_F},
   .several = DENSE, .one = DENSE},
  {.array = {"F order, fewer rows than processes", 2, {2, 7}, ALONG_FIRST, .form = FORM_F},
   .several = DENSE, .one = DENSE},
  {.array = {"F order, cyclic rows with a block each", 2, {18, 5}, ALONG_FIRST, ONE_BLOCK, .form = FORM_F},
   .several = DENSE, .one = DENSE},
  {.array = {"F order, ranks in an order of their own: a reordered communicator", 2, {17, 5}, ALONG_FIRST,
    IRREGULAR, .shuffled = true, .form = FORM_F}, .several = DENSE, .one = DENSE},
  {.array = {"F order, assembled", 2, {17, 5}, ALONG_FIRST, IRREGULAR, .assembled = true, .form = FORM_F},
   .several = DENSE, .one = DENSE},
  {.array = {"n x 1 in rows: a column", 2, {13, 1}, ALONG_FIRST, .form = FORM_C},
   .several = DENSE, .one = DENSE},
  {.array = {"n x 1 in rows, padded", 2, {19, 1}, ALONG_FIRST, .halo = {1, 0}, .form = FORM_C},
   .several = DENSE, .one = DENSE},
  {.array = {"1 x n in columns: a row", 2, {1, 13}, ALONG_LAST, .form = FORM_C},
   .several = TRANSPOSE, .one = DENSE},
  {.array = {"1 x n, all of it on the first process", 2, {1, 7}, ALONG_FIRST, .form = FORM_C},
   .several = DENSE, .one = DENSE},
  {.array = {"1 x 1", 2, {1, 1}, ALONG_FIRST, .form = FORM_C}, .several = DENSE, .one = DENSE},
  {.array = {"no rows", 2, {0, 3}, ALONG_FIRST, .form = FORM_C}, .several = DENSE, .one = DENSE},
  {.array = {"no columns", 2, {5, 0}, ALONG_FIRST, .form = FORM_C}, .several = DENSE, .one = DENSE},

  {.array = {"C order, columns: the transposed view", 2, {5, 13}, ALONG_LAST, .form = FORM_C},
   .several = TRANSPOSE, .one = TRANSPOSE, .reason = "transposed view"},
  {.array = {"C order, columns, square, irregular", 2, {14, 14}, ALONG_LAST, IRREGULAR, .form = FORM_C},
   .several = TRANSPOSE, .one = TRANSPOSE},
  {.array = {"C order, columns, padded", 2, {6, 23}, ALONG_LAST, .halo = {1, 2}, .form = FORM_C},
   .several = TRANSPOSE, .one = TRANSPOSE},
  {.array = {"C order, columns, empty processes", 2, {4, 9}, ALONG_LAST, HOLES, .form = FORM_C},
   .several = TRANSPOSE, .one = TRANSPOSE},
  {.array = {"C order, columns, shuffled ranks", 2, {4, 19}, ALONG_LAST, .shuffled = true, .form = FORM_C},
   .several = TRANSPOSE, .one = TRANSPOSE},
  {.array = {"C order, columns, a window", 2, {6, 13}, ALONG_LAST, .form = FORM_WINDOW},
   .several = ANY_KIND, .one = ANY_KIND},

  {.array = {"C order, rows: a shell", 2, {13, 5}, ALONG_FIRST, .form = FORM_C},
   .several = SHELL, .one = TRANSPOSE, .reason = "a shell"},
  {.array = {"C order, rows, square", 2, {12, 12}, ALONG_FIRST, .form = FORM_C},
   .several = SHELL, .one = TRANSPOSE, .block_size = {5, 5}},
  {.array = {"C order, rows, square, irregular", 2, {14, 14}, ALONG_FIRST, IRREGULAR, .form = FORM_C},
   .several = SHELL, .one = TRANSPOSE},
  {.array = {"C order, rows, padded", 2, {23, 6}, ALONG_FIRST, .halo = {2, 1}, .form = FORM_C},
   .several = SHELL, .one = TRANSPOSE},
  {.array = {"C order, rows, padded columns and boundary", 2, {23, 8}, ALONG_FIRST, .halo = {1, 0},
    .boundary = {{1, 1}, {2, 1}}, .form = FORM_C}, .several = SHELL, .one = TRANSPOSE},
  {.array = {"C order, rows, more columns than rows", 2, {7, 16}, ALONG_FIRST, CEIL, .form = FORM_C},
   .several = SHELL, .one = TRANSPOSE},
  {.array = {"C order, rows, empty processes", 2, {9, 4}, ALONG_FIRST, HOLES, .form = FORM_C},
   .several = SHELL, .one = TRANSPOSE},
  {.array = {"C order, rows, shuffled ranks, padded", 2, {23, 6}, ALONG_FIRST, .halo = {1, 0},
    .shuffled = true, .form = FORM_C}, .several = SHELL, .one = TRANSPOSE},
  {.array = {"C order, rows, cyclic with a block each", 2, {18, 5}, ALONG_FIRST, ONE_BLOCK, .form = FORM_C},
   .several = SHELL, .one = TRANSPOSE},
  {.array = {"F order, columns: a shell, too", 2, {5, 13}, ALONG_LAST, .form = FORM_F},
   .several = SHELL, .one = DENSE, .reason = "shell|columns"},
  {.array = {"F order, columns, square", 2, {12, 12}, ALONG_LAST, .form = FORM_F},
   .several = SHELL, .one = DENSE},
  {.array = {"F order, columns, padded, irregular, square", 2, {17, 17}, ALONG_LAST, IRREGULAR,
    .halo = {0, 1}, .form = FORM_F}, .several = SHELL, .one = DENSE},
  {.array = {"F order, columns, tall", 2, {19, 7}, ALONG_LAST, .form = FORM_F},
   .several = SHELL, .one = DENSE},
  {.array = {"F order, columns, empty processes", 2, {6, 9}, ALONG_LAST, HOLES, .form = FORM_F},
   .several = SHELL, .one = DENSE},

  {.array = {"blocks of both axes", 2, {11, 13}, SQUARE, .form = FORM_F},
   .several = COPY, .one = DENSE, .reason = "spread over"},
  {.array = {"blocks, padded, irregular", 2, {17, 18}, SQUARE, IRREGULAR, .halo = {1, 1}, .form = FORM_C},
   .several = COPY, .one = TRANSPOSE, .reason = "spread over"},
  {.array = {"block-cyclic", 2, {14, 11}, SQUARE, CYCLIC, .form = FORM_F},
   .several = COPY, .one = DENSE, .reason = "spread over", .block_size = {2, 2}},
  {.array = {"block-cyclic, square, C order", 2, {12, 12}, SQUARE, CYCLIC, .form = FORM_C},
   .several = COPY, .one = TRANSPOSE, .block_size = {3, 1}},
  {.array = {"block-cyclic, shuffled ranks", 2, {13, 11}, SQUARE, CYCLIC, .shuffled = true, .form = FORM_F},
   .several = COPY, .one = DENSE},
  {.array = {"cyclic rows", 2, {24, 6}, ALONG_FIRST, CYCLIC, .form = FORM_F},
   .several = COPY, .one = DENSE, .reason = "axis 0|cyclic"},
  {.array = {"cyclic columns", 2, {6, 24}, ALONG_LAST, CYCLIC, .form = FORM_C},
   .several = COPY, .one = TRANSPOSE, .reason = "axis 1|cyclic"},
  {.array = {"listed rows", 2, {15, 4}, ALONG_FIRST, .lists = {LISTS}, .form = FORM_F},
   .several = COPY, .one = COPY, .reason = "axis 0|unstructured"},
  {.array = {"rows that several have", 2, {15, 4}, ALONG_FIRST, .lists = {OVERLAPS}, .form = FORM_C},
   .several = COPY, .one = COPY},
  {.array = {"rows that several have, assembled", 2, {15, 4}, ALONG_FIRST, .lists = {OVERLAPS},
    .assembled = true, .form = FORM_C}, .several = COPY, .one = COPY},
  {.array = {"rows that all have", 2, {9, 4}, ALONG_FIRST, .lists = {COPIES}, .form = FORM_F},
   .several = COPY, .one = COPY, .reason = "axis 0|replicated"},
  {.array = {"columns in an order of their own", 2, {9, 6}, ALONG_FIRST, .lists = {NO_LISTS, LISTS},
    .form = FORM_F}, .several = COPY, .one = COPY, .reason = "axis 1|unstructured"},
  {.array = {"backwards", 2, {18, 6}, ALONG_FIRST, .form = FORM_NEGATIVE},
   .several = ANY_KIND, .one = ANY_KIND},
  {.array = {"axes in any order", 2, {18, 6}, ALONG_FIRST, .form = FORM_PERMUTED},
   .several = ANY_KIND, .one = ANY_KIND},
  {.array = {"a window", 2, {18, 6}, ALONG_FIRST, .form = FORM_WINDOW}, .several = ANY_KIND, .one = ANY_KIND},
  {.array = {"the other byte order", 2, {13, 5}, ALONG_FIRST, .bytes = SWAPPED, .form = FORM_F},
   .several = COPY, .one = COPY, .reason = "byte order"},
  {.array = {"the other byte order, padded", 2, {23, 5}, ALONG_FIRST, .halo = {1, 1}, .bytes = SWAPPED,
    .form = FORM_C}, .several = COPY, .one = COPY},
  {.array = {"the other byte order on odd processes", 2, {13, 5}, ALONG_FIRST, .bytes = SWAPPED_ON_ODD,
    .form = FORM_F}, .several = COPY, .one = DENSE, .reason = "byte order"},
};
/* clang-format on */

/* One row with one access and one form. */
typedef struct trial {
  const matrix_row *row;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  dap_access access;
  dap_petsc_matrix_options options;
  dap_petsc_matrix matrix;
  known before, after; /* what the array holds, and what is put into the matrix */
} trial;

static void make_array(trial *t)
{
  test_random random = test_random_init(7);
  dap_error err;
  t->layout = row_layout(&t->row->array);
  t->buffer = test_buffer_make(t->layout, test_rank(), sizeof(PetscScalar), t->row->array.form, &random);
  static char nothing;
  void *data = t->buffer.data ? t->buffer.data : &nothing;
  EXPECT_OK(dap_array_init(&t->array, t->layout, test_rank(), scalar_dtype(), DAP_ORDER_C, data, &err), &err);
  t->array.data = t->buffer.data;
  for (int k = 0; k < 2; k++) t->array.strides[k] = t->buffer.strides[k];
  fill_global(t->layout, test_rank(), &t->array);
  scale_array(&t->array, t->before.factor);
  const live_bytes bytes = t->row->array.bytes;
  if (bytes == SWAPPED || (bytes == SWAPPED_ON_ODD && test_rank() % 2)) variant_swap(&t->array);
}

/* The matrix whose memory there is, and whether it is the transposed one. */
static Mat inner(const trial *t, bool *transposed)
{
  Mat dense = t->matrix.mat;
  *transposed = has_type(t->matrix.mat, MATTRANSPOSEVIRTUAL);
  if (*transposed) EXPECT(!MatTransposeGetMat(t->matrix.mat, &dense));
  return dense;
}

/* A shared MATDENSE has the very elements that this process owns. */
static void check_address(const trial *t)
{
  bool transposed;
  Mat dense = inner(t, &transposed);
  int coords[2];
  const char *first = t->array.data;
  int64_t count = 1;
  if (!has_type(dense, MATDENSE)) return;
  dap_layout_coords(t->layout, test_rank(), coords);
  for (int k = 0; k < 2; k++) {
    int64_t halo[2];
    dap_layout_halo(t->layout, k, coords[k], halo);
    first += halo[0] * t->array.strides[k];
    count *= dap_layout_owned(t->layout, k, coords[k]);
  }
  const PetscScalar *memory;
  EXPECT(!MatDenseGetArrayRead(dense, &memory));
  if (count > 0) EXPECT_MSG((const char *)memory == first, "shared, but not in the buffer");
  EXPECT(!MatDenseRestoreArrayRead(dense, &memory));
}

static kind wanted_kind(const trial *t)
{
  int dims[2] = {0};
  if (t->options.sharing == DAP_SHARE_NEVER) return COPY;
  if (test_nprocs() == 1) return t->row->one;
  MPI_Dims_create(test_nprocs(), 2, dims);
  return t->row->array.spread == SQUARE && dims[1] == 1 ? ANY_KIND : t->row->several;
}

static void check_kind(const trial *t)
{
  static const MatType types[] = {MATDENSE, MATTRANSPOSEVIRTUAL, MATSHELL, MATDENSE};
  const kind want = wanted_kind(t);
  const dap_petsc_matrix *m = &t->matrix;
  EXPECT(strlen(m->reason) > 0);
  if (m->shared) check_address(t);
  if (m->shared) EXPECT_INT(m->moved_bytes, 0);
  if (t->options.form == DAP_PETSC_SCALAPACK) {
    EXPECT(!m->shared && has_type(m->mat, MATSCALAPACK));
    return;
  }
  if (t->options.form == DAP_PETSC_DENSE) EXPECT(has_type(m->mat, MATDENSE));
  if (want == ANY_KIND) return;
  const bool share = want == DENSE || (want != COPY && t->options.form == DAP_PETSC_ANY);
  EXPECT_MSG(m->shared == share, "%s: %s", m->shared ? "shared" : "moved", m->reason);
  if (t->options.form == DAP_PETSC_ANY) EXPECT(has_type(m->mat, types[want]));
  const bool told = t->row->reason && test_nprocs() > 1 && t->options.form == DAP_PETSC_ANY &&
                    t->options.sharing != DAP_SHARE_NEVER;
  if (told) EXPECT_MSG(test_contains(m->reason, t->row->reason), "reason: %s", m->reason);
}

/* After get: what came in. PETSc's own products of a MATSCALAPACK need elements. */
static void check_in(const trial *t)
{
  const bool zeros = t->access == DAP_WRITE && !t->matrix.shared;
  known k = t->before;
  if (zeros) k.factor = 0;
  check_kind(t);
  if (k.rows > 0 && k.columns > 0) check_products(t->matrix.mat, &k, t->access == DAP_READ_WRITE);
  if (has_type(t->matrix.mat, MATDENSE)) check_values(t->matrix.mat, &k);
}

/* Writes through the matrix: a filled MATSCALAPACK still takes values for other processes. A shell has nobody
 * to write but the buffer's owner. */
static void write_through(const trial *t)
{
  bool transposed;
  Mat dense = inner(t, &transposed);
  const PetscScalar ratio = t->after.factor / t->before.factor;
  if (has_type(dense, MATSHELL))
    scale_array(&t->array, ratio);
  else if (t->access == DAP_READ_WRITE && !has_type(dense, MATSCALAPACK))
    EXPECT(!MatScale(dense, ratio));
  else
    set_values(dense, &t->after, transposed);
  EXPECT(!MatAssemblyBegin(t->matrix.mat, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatAssemblyEnd(t->matrix.mat, MAT_FINAL_ASSEMBLY));
  if (t->after.rows > 0 && t->after.columns > 0) check_products(t->matrix.mat, &t->after, false);
}

/* After restore: what is in the buffer. With DAP_WRITE all of it, padding too. */
static void check_out(trial *t, const void *copy)
{
  if (t->access == DAP_READ) {
    EXPECT_MSG(!memcmp(t->buffer.memory, copy, (size_t)t->buffer.bytes), "the buffer was written to");
    return;
  }
  if (t->array.swapped) variant_swap(&t->array);
  for (int64_t i = 0; i < t->array.shape[0]; i++)
    for (int64_t j = 0; j < t->array.shape[1]; j++) {
      const int64_t local[2] = {i, j};
      int64_t global[2];
      EXPECT_OK(dap_layout_globalize(t->layout, test_rank(), local, global, NULL, NULL), NULL);
      const char *at = (const char *)t->array.data + i * t->array.strides[0] + j * t->array.strides[1];
      const PetscScalar want = known_at(&t->after, (PetscInt)global[0], (PetscInt)global[1]);
      EXPECT_MSG(*(const PetscScalar *)(const void *)at == want, "element (%d, %d) at (%d, %d)",
                 (int)global[0], (int)global[1], (int)i, (int)j);
    }
  EXPECT(check_gaps(&t->buffer));
}

static void check_trial(const matrix_row *row, dap_access access, const dap_petsc_matrix_options *options)
{
  dap_error err;
  trial t = {.row = row, .access = access, .options = *options};
  t.before = (known){(PetscInt)row->array.size[0], (PetscInt)row->array.size[1], 4, false};
  t.after = t.before;
  t.after.factor = 2;
  TEST_CASE("%s: access %d, form %d, sharing %d", row->array.why, access, options->form, options->sharing);
  make_array(&t);
  void *copy = malloc((size_t)t.buffer.bytes + 1);
  memcpy(copy, t.buffer.memory, (size_t)t.buffer.bytes);
  t.array.readonly = access == DAP_READ;
  const dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){t.layout, &t.array}, access, options,
                                            &t.matrix, &err);
  if (s == DAP_ERR_UNSUPPORTED && options->form == DAP_PETSC_SCALAPACK) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "MATSCALAPACK|spread");
  } else if (EXPECT_OK(s, &err)) {
    check_in(&t);
    if (access & DAP_WRITE) write_through(&t);
    EXPECT_OK(dap_petsc_matrix_restore(&t.matrix, &err), &err);
    EXPECT(!t.matrix.mat && !t.matrix.handle.view);
    if (t.matrix.shared) EXPECT_INT(t.matrix.moved_bytes, 0);
    check_out(&t, copy);
  }
  free(copy);
  dap_array_release(&t.array);
  test_buffer_free(&t.buffer);
  dap_layout_destroy(&t.layout);
  SETTLE();
}

static void check_rows(void **state)
{
  static const struct {
    dap_petsc_form form;
    dap_sharing sharing;
  } ways[] = {{DAP_PETSC_ANY, DAP_SHARE_IF_POSSIBLE},
              {DAP_PETSC_DENSE, DAP_SHARE_IF_POSSIBLE},
              {DAP_PETSC_ANY, DAP_SHARE_NEVER},
              {DAP_PETSC_SCALAPACK, DAP_SHARE_IF_POSSIBLE}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
      for (int access = DAP_READ; access <= DAP_READ_WRITE; access++) {
        const dap_petsc_matrix_options options = {
            .sharing = ways[w].sharing,
            .form = ways[w].form,
            .block_size = {rows[i].block_size[0], rows[i].block_size[1]}};
        check_trial(&rows[i], (dap_access)access, &options);
      }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(check_rows),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
