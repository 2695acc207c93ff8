/* Tests arrays as matrices: which are shared and in which form, which are moved, and every element of
 * both. */
#include "live.h"

/* The form that DAP_PETSC_ANY chooses. */
typedef enum kind { DENSE, TRANSPOSE, SHELL, COPY, ANY_KIND } kind;

typedef struct matrix_row {
  live_row row; /* its reason is for several processes */
  kind several; /* on several processes; blocks only on grids with several processes along both axes */
  kind one;
  int64_t block_size[2];
} matrix_row;

/* clang-format off */
static const matrix_row rows[] = {
  {.row = {{"F order, rows: MATDENSE", 2, .size = {13, 5}, FIRST_AXIS}, .reason = "a MATDENSE",
   .form = FORM_F}, DENSE, DENSE},
  {.row = {{"F order, square: vectors along the columns are spread alike", 2, .size = {12, 12}, FIRST_AXIS},
   .form = FORM_F}, DENSE, DENSE, {2, 3}},
  {.row = {{"F order, irregular rows", 2, {17, 6}, FIRST_AXIS, .cut = {CUT_IRREGULAR}}, .form = FORM_F},
   DENSE, DENSE, {4, 0}},
  {.row = {{"F order, padded rows: a leading dimension", 2, {23, 5}, FIRST_AXIS, .halo = {1, 1}},
   .form = FORM_F}, DENSE, DENSE},
  {.row = {{"F order, periodic rows whose padding wraps", 2, {18, 6}, FIRST_AXIS, .halo = {1},
   .wraps = {true}}, .form = FORM_F}, DENSE, DENSE},
  {.row = {{"F order, empty processes", 2, {9, 4}, FIRST_AXIS, .cut = {CUT_HOLES}}, .form = FORM_F}, DENSE,
   DENSE},
  {.row = {{"F order, fewer rows than processes", 2, .size = {2, 7}, FIRST_AXIS}, .form = FORM_F}, DENSE,
   DENSE},
  {.row = {{"F order, ranks in an order of their own: a reordered communicator", 2, {17, 5}, FIRST_AXIS,
   .cut = {CUT_IRREGULAR}, .shuffled = true}, .form = FORM_F}, DENSE, DENSE},
  {.row = {.layout = {"n x 1 in rows: a column", 2, .size = {13, 1}, FIRST_AXIS}}, DENSE, DENSE},
  {.row = {.layout = {"1 x n in columns: a row", 2, .size = {1, 13}, SECOND_AXIS}}, TRANSPOSE, DENSE},
  {.row = {.layout = {"1 x 1", 2, .size = {1, 1}, FIRST_AXIS}}, DENSE, DENSE},
  {.row = {.layout = {"no rows", 2, .size = {0, 3}, FIRST_AXIS}}, DENSE, DENSE},
  {.row = {.layout = {"no columns", 2, .size = {5, 0}, FIRST_AXIS}}, DENSE, DENSE},
  {.row = {{"C order, columns: the transposed view", 2, .size = {5, 13}, SECOND_AXIS},
   .reason = "transposed view"}, TRANSPOSE, TRANSPOSE},
  {.row = {.layout = {"C order, columns, padded", 2, {6, 23}, SECOND_AXIS, .halo = {1, 2}}}, TRANSPOSE,
   TRANSPOSE},
  {.row = {{"C order, rows: a shell", 2, .size = {13, 5}, FIRST_AXIS}, .reason = "a shell"}, SHELL,
   TRANSPOSE},
  {.row = {.layout = {"C order, rows, square", 2, .size = {12, 12}, FIRST_AXIS}}, SHELL, TRANSPOSE, {5, 5}},
  {.row = {.layout = {"C order, rows, padded", 2, {23, 6}, FIRST_AXIS, .halo = {2, 1}}}, SHELL, TRANSPOSE},
  {.row = {.layout = {"C order, rows, empty processes", 2, {9, 4}, FIRST_AXIS, .cut = {CUT_HOLES}}}, SHELL,
   TRANSPOSE},
  {.row = {.layout = {"C order, rows, shuffled ranks, padded", 2, {23, 6}, FIRST_AXIS, .halo = {1},
   .shuffled = true}}, SHELL, TRANSPOSE},
  {.row = {{"F order, columns: a shell, too", 2, .size = {5, 13}, SECOND_AXIS}, .reason = "shell|columns",
   .form = FORM_F}, SHELL, DENSE},
  {.row = {{"F order, columns, padded, irregular, square", 2, {17, 17}, SECOND_AXIS,
   .cut = {CUT_EVEN, CUT_IRREGULAR}, .halo = {0, 1}}, .form = FORM_F}, SHELL, DENSE},
  {.row = {{"blocks of both axes", 2, .size = {11, 13}}, .reason = "spread over", .form = FORM_F}, COPY,
   DENSE},
  {.row = {{"blocks, padded, irregular", 2, {17, 18}, .cut = {CUT_IRREGULAR, CUT_IRREGULAR}, .halo = {1, 1}},
   .reason = "spread over"}, COPY, TRANSPOSE},
  {.row = {{"block-cyclic", 2, {14, 11}, .cut = {CUT_CYCLIC, CUT_CYCLIC}}, .reason = "spread over",
   .form = FORM_F}, COPY, DENSE, {2, 2}},
  {.row = {.layout = {"block-cyclic, square, C order", 2, {12, 12}, .cut = {CUT_CYCLIC, CUT_CYCLIC}}}, COPY,
   TRANSPOSE, {3, 1}},
  {.row = {{"cyclic rows", 2, {24, 6}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, .reason = "axis 0|cyclic",
   .form = FORM_F}, COPY, DENSE},
  {.row = {{"cyclic columns", 2, {6, 24}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}},
   .reason = "axis 1|cyclic"}, COPY, TRANSPOSE},
  {.row = {{"listed rows", 2, {15, 4}, FIRST_AXIS, .cut = {CUT_LOTS}}, .reason = "axis 0|unstructured",
   .form = FORM_F}, COPY, COPY},
  {.row = {.layout = {"rows that several have, assembled", 2, {15, 4}, FIRST_AXIS, .cut = {CUT_OVERLAPS},
   .assembled = true}}, COPY, COPY},
  {.row = {{"rows that all have", 2, {9, 4}, FIRST_AXIS, .cut = {CUT_COPIES}}, .reason = "axis 0|replicated",
   .form = FORM_F}, COPY, COPY},
  {.row = {{"columns in an order of their own", 2, {9, 6}, FIRST_AXIS, .cut = {CUT_EVEN, CUT_LOTS}},
   .reason = "axis 1|unstructured", .form = FORM_F}, COPY, COPY},
  {.row = {{"a window", 2, .size = {18, 6}, FIRST_AXIS}, .form = FORM_WINDOW}, ANY_KIND, ANY_KIND},
  {.row = {{"the other byte order", 2, .size = {13, 5}, FIRST_AXIS}, .reason = "byte order", .form = FORM_F,
   .bytes = SWAPPED}, COPY, COPY},
  {.row = {{"the other byte order on odd processes", 2, .size = {13, 5}, FIRST_AXIS}, .reason = "byte order",
   .form = FORM_F, .bytes = SWAPPED_ON_ODD}, COPY, DENSE},
};
/* clang-format on */

/* One trial of a row, with one access and one form. */
typedef struct trial {
  const matrix_row *row;
  dap_access access;
  dap_petsc_matrix_options options;
  live a;
  dap_petsc_matrix matrix;
} trial;

/* Checks that the memory of a shared MATDENSE is the elements that this process owns. */
static void check_address(const trial *t)
{
  bool transposed;
  Mat dense = live_inner(t->matrix.mat, &transposed);
  const PetscScalar *memory;
  const char *first = NULL;
  if (!has_type(dense, MATDENSE)) return;
  LIVE_EACH(&t->a, p)
  if (p.owned && !first) first = p.at;
  EXPECT(!MatDenseGetArrayRead(dense, &memory));
  if (first) EXPECT_MSG((const char *)memory == first, "shared, but not in the buffer");
  EXPECT(!MatDenseRestoreArrayRead(dense, &memory));
}

static kind wanted_kind(const trial *t)
{
  int dims[2] = {0};
  if (t->options.sharing == DAP_SHARE_NEVER) return COPY;
  if (test_nprocs() == 1) return t->row->one;
  MPI_Dims_create(test_nprocs(), 2, dims);
  return t->row->row.layout.axes == ALL_AXES && dims[1] == 1 ? ANY_KIND : t->row->several;
}

static void check_kind(const trial *t)
{
  static const MatType types[] = {MATDENSE, MATTRANSPOSEVIRTUAL, MATSHELL, MATDENSE};
  const kind want = wanted_kind(t);
  const char *reason = t->row->row.reason;
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
  if (t->options.form != DAP_PETSC_ANY) return;
  EXPECT(has_type(m->mat, types[want]));
  if (reason && test_nprocs() > 1 && t->options.sharing != DAP_SHARE_NEVER)
    EXPECT_MSG(test_contains(m->reason, reason), "reason: %s", m->reason);
}

/* Checks elements. Products are checked with one access before the write, and with another one after it. */
static void check_elements(const trial *t, int64_t shift)
{
  live_check_matrix(&t->a, t->matrix.mat, shift);
  if (t->access != DAP_READ_WRITE) check_products(t->matrix.mat, &(known_matrix){.a = &t->a, .shift = shift});
}

static void try_matrix(trial *t)
{
  dap_error err;
  PetscReal norm = -1;
  const bool writes = t->access & DAP_WRITE;
  const int64_t shift = writes ? AFTER : BEFORE;
  check_kind(t);
  if (t->access == DAP_WRITE && !t->matrix.shared)
    EXPECT(!MatNorm(t->matrix.mat, NORM_FROBENIUS, &norm) && norm == 0);
  else
    check_elements(t, BEFORE);
  if (writes) live_write_matrix(&t->a, t->matrix.mat, AFTER);
  EXPECT(!MatAssemblyBegin(t->matrix.mat, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatAssemblyEnd(t->matrix.mat, MAT_FINAL_ASSEMBLY));
  if (writes) check_elements(t, AFTER);
  EXPECT_OK(dap_petsc_matrix_restore(&t->matrix, &err), &err);
  EXPECT(!t->matrix.mat && !t->matrix.handle.view);
  if (t->matrix.shared) EXPECT_INT(t->matrix.moved_bytes, 0);
  live_check(&t->a, shift, shift, shift, writes ? PADDING_FILLED : PADDING_POISON);
}

static void check_row(const matrix_row *row, dap_access access, const dap_petsc_matrix_options *options)
{
  dap_error err;
  trial t = {.row = row, .access = access, .options = *options};
  TEST_CASE("%s: access %d, form %d, sharing %d", row->row.layout.why, access, options->form,
            options->sharing);
  live_make_row(&t.a, &row->row);
  t.a.array.readonly = access == DAP_READ;
  const dap_darray array = {t.a.layout, &t.a.array};
  const dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, array, access, options, &t.matrix, &err);
  if (s == DAP_ERR_UNSUPPORTED && options->form == DAP_PETSC_SCALAPACK)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "MATSCALAPACK|spread");
  else if (EXPECT_OK(s, &err))
    try_matrix(&t);
  live_free(&t.a);
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
        check_row(&rows[i], (dap_access)access, &options);
      }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(check_rows),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
