/* Elements have another type than PetscScalar, or the other byte order. The tests check what is refused,
 * what is converted, and every element of both sides. The tests list by hand which casts lose something. */
#include "live.h"

#if defined(PETSC_USE_COMPLEX)
enum { COMPLEX = 1 };
static const char scalar_name[] = "complex128";
#else
enum { COMPLEX = 0 };
static const char scalar_name[] = "float64";
#endif

/* An any_kind, or a matrix that is a MATSCALAPACK. */
enum { SCALAPACK = KINDS, CAST_KINDS };

/* Whether a PetscScalar holds every value of the type (in), and the type every PetscScalar (out). {real,
 * complex} */
typedef struct type_row {
  const char *why;
  dap_dtype dtype;
  const char *name;
  bool in[2], out[2];
} type_row;

/* clang-format off */
static const type_row types[] = {
  {"PetscScalar itself, or its real part",    DAP_F8,   "float64",    {1, 1}, {1, 0}},
  {"PetscScalar itself, or more than it has", DAP_C16,  "complex128", {0, 1}, {1, 1}},
  {"24 bits of 53",                           DAP_F4,   "float32",    {1, 1}, {0, 0}},
  {"an imaginary part, or half the digits",   DAP_C8,   "complex64",  {0, 1}, {0, 0}},
  {"11 bits of 53",                           DAP_F2,   "float16",    {1, 1}, {0, 0}},
  {"64 bits or more: holds float64",          DAP_F16,  "float128",   {0, 0}, {1, 0}},
  {"64 bits or more, twice: holds both",      DAP_C32,  "complex256", {0, 0}, {1, 1}},
  {"0 and 1",                                 DAP_BOOL, "bool",       {1, 1}, {0, 0}},
  {"7 bits and a sign",                       DAP_I1,   "int8",       {1, 1}, {0, 0}},
  {"8 bits",                                  DAP_U1,   "uint8",      {1, 1}, {0, 0}},
  {"15 bits and a sign",                      DAP_I2,   "int16",      {1, 1}, {0, 0}},
  {"16 bits",                                 DAP_U2,   "uint16",     {1, 1}, {0, 0}},
  {"31 bits and a sign",                      DAP_I4,   "int32",      {1, 1}, {0, 0}},
  {"32 bits",                                 DAP_U4,   "uint32",     {1, 1}, {0, 0}},
  {"63 bits and a sign: more than 53",        DAP_I8,   "int64",      {0, 0}, {0, 0}},
  {"64 bits: more than 53",                   DAP_U8,   "uint64",     {0, 0}, {0, 0}},
};

/* The reason is "" if vectors are moved for another reason than their types. NULL: the reason names the
 * types. */
static const live_row shapes[] = {
  {.layout = {"rows", 2, .size = {12, 12}, FIRST_AXIS}},
  {.layout = {"padded rows", 2, {12, 12}, FIRST_AXIS, .halo = {1}}},
  {{"padded blocks", 2, {12, 12}, .halo = {1, 1}}, .reason = ""},
  {{"boundary padding that is ghost points", 2, {12, 12}, FIRST_AXIS, .halo = {1}, .boundary = {{1, 1}}},
   .options = {.width = 1, .boundary = DM_BOUNDARY_GHOSTED}},
  {.layout = {"padding that wraps", 2, {12, 12}, FIRST_AXIS, .halo = {1}, .wraps = {true}}},
  {.layout = {"empty processes", 2, {12, 12}, FIRST_AXIS, .cut = {CUT_HOLES}}},
  {{"blocks in turn", 2, {12, 12}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, .reason = ""},
};
/* clang-format on */
enum { PADDED = 1, GHOSTS = 3, EMPTY = 5, SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct trial {
  int kind;
  dap_access access;
  bool lossy;
  dap_status status;   /* DAP_OK, or the status of a refusal */
  const char *refusal; /* parts of the refusal's text */
  bool names_write;    /* the text says that the cast of written values loses something */
  live_row row;
  live a;
} trial;

static dap_status get(const trial *t, any_view *v, dap_error *err)
{
  *v = (any_view){.kind = t->kind == SCALAPACK ? MATRIX : (any_kind)t->kind, .of_field = t->row.options};
  v->of_matrix.form = t->kind == SCALAPACK ? DAP_PETSC_SCALAPACK : DAP_PETSC_DENSE;
  v->of_matrix.block_size[0] = 2;
  v->of_matrix.block_size[1] = 3;
  v->of_field.lossy = v->of_vector.lossy = v->of_matrix.lossy = t->lossy;
  return any_get(MPI_COMM_WORLD, v, (dap_darray){t->a.layout, &t->a.array}, t->access, err);
}

static void check_refused(const trial *t)
{
  any_view v;
  dap_error err = {.rank = -1};
  expect_same_error(MPI_COMM_WORLD, get(t, &v, &err), &err, t->status, t->refusal);
  EXPECT_INT(err.rule, t->status == DAP_ERR_BUFFER ? 20 : 0);
  EXPECT_MSG((strstr(err.text, "DAP_WRITE") != NULL) == t->names_write, "%s", err.text);
  EXPECT(!any_is_live(&v) && any_moved(&v) == 0);
  live_check(&t->a, BEFORE, BEFORE, BEFORE, PADDING_POISON);
}

static void check_matrix(const trial *t)
{
  any_view v;
  dap_error err = {.rank = -1};
  if (!EXPECT_OK(get(t, &v, &err), &err)) return;
  EXPECT(!any_is_shared(&v) && (any_moved(&v) > 0 || t->access == DAP_WRITE || v.kind == MATRIX));
  if (t->row.reason && t->row.reason[0] && t->kind == MATRIX)
    EXPECT_MSG(test_contains(v.matrix.reason, t->row.reason), "%s", v.matrix.reason);
  if (t->access & DAP_READ) live_check_matrix(&t->a, v.matrix.mat, BEFORE);
  if (t->access & DAP_WRITE) live_write_matrix(&t->a, v.matrix.mat, AFTER);
  EXPECT_OK(any_do(&v, RESTORE, &err), &err);
  const bool writes = t->access & DAP_WRITE;
  live_check(&t->a, writes ? AFTER : BEFORE, BEFORE, writes ? AFTER : BEFORE,
             writes ? PADDING_FILLED : PADDING_POISON);
}

static void check_trial(trial *t, dap_dtype dtype, bool swapped, unsigned vectors)
{
  t->row.dtype = dtype;
  t->row.bytes = swapped ? SWAPPED : NATIVE;
  live_make_row(&t->a, &t->row);
  t->a.options.lossy = t->lossy;
  t->a.array.readonly = t->access == DAP_READ;
  if (t->kind != FIELD) t->a.options = (dap_petsc_field_options){.lossy = t->lossy};
  if (t->status)
    check_refused(t);
  else if (t->kind >= MATRIX)
    check_matrix(t);
  else if (t->kind == VECTOR)
    live_try_vector(&t->a, &t->row, t->access);
  else if (live_begin(&t->a, &t->row, t->access, vectors))
    live_finish(&t->a, t->access, vectors);
  live_free(&t->a);
  SETTLE();
}

/* ---- every type ---------------------------------------------------------------------------------------- */

/* A cast that is not made cannot lose anything. */
static void expect_by_type(trial *t, const type_row *type, int rank, char text[2][128])
{
  const bool in = type->in[COMPLEX] || !(t->access & DAP_READ);
  const bool out = type->out[COMPLEX] || t->access == DAP_READ;
  (void)snprintf(text[0], 128, "rank %d|%s|%s|lossy", rank, type->name, scalar_name);
  (void)snprintf(text[1], 128, "%s|PetscScalar|%s", type->name, scalar_name);
  t->status = (in && out) || t->lossy ? DAP_OK : DAP_ERR_BUFFER;
  t->refusal = text[0];
  t->names_write = in;
  if (!t->row.reason) t->row.reason = type->dtype != scalar_dtype() ? text[1] : "other byte order";
}

/* The shape and the form of the buffer are drawn. They are the same on every process. */
static void check_types(void **state)
{
  (void)state;
  enum { CASES = 3 * 2 * 2 * CAST_KINDS };
  test_random random = test_random_init(31);
  for (int i = 0; i < (int)(sizeof types / sizeof types[0]) * CASES; i++) {
    const type_row *type = &types[i / CASES];
    const int c = i % CASES / CAST_KINDS;
    const bool swapped = c / 6;
    char text[2][128];
    trial t = {.kind = i % CAST_KINDS, .access = (dap_access)(c % 3 + 1), .lossy = c / 3 % 2};
    t.row = shapes[test_random_int(&random, 0, SHAPES - 1)];
    t.row.form = (test_form)test_random_int(&random, 0, FORM_COUNT - 1);
    const unsigned vectors = (unsigned)test_random_int(&random, 1, 3);
    expect_by_type(&t, type, 0, text);
    TEST_CASE("%s (%s): kind %d, access %d, lossy %d, swapped %d, form %d, vectors %u, %s", type->name,
              type->why, t.kind, (int)t.access, t.lossy, swapped, (int)t.row.form, vectors, t.row.layout.why);
    /* Leaves out PetscScalars themselves, and all but one or two of the costly trials with MATSCALAPACK. */
    if (type->dtype == scalar_dtype() && !swapped) continue;
    if (t.kind != SCALAPACK || t.status || (t.access == DAP_READ_WRITE && swapped))
      check_trial(&t, type->dtype, swapped, vectors);
  }
}

/* ---- types that differ between processes --------------------------------------------------------------- */

/* Some processes have elements of this type, the others have PetscScalars. */
typedef struct mixed_row {
  const char *why;
  dap_dtype dtype[2]; /* {real, complex} */
  bool swapped;
  bool on_odd; /* else on rank 0 */
  int shape;
  dap_access access;
  bool lossy;
} mixed_row;

static const mixed_row mixed[] = {
    {"half the digits on rank 0, written", {DAP_F4, DAP_C8}, .shape = PADDED, .access = DAP_WRITE},
    {"half the digits and the other byte order on rank 0, written with leave",
     {DAP_F4, DAP_C8},
     .swapped = true,
     .shape = PADDED,
     .access = DAP_READ_WRITE,
     .lossy = true},
    {"integers on odd processes", {DAP_I4, DAP_I4}, .on_odd = true, .shape = GHOSTS, .access = DAP_READ},
    {"too long integers where there are no elements",
     {DAP_I8, DAP_I8},
     .on_odd = true,
     .shape = EMPTY,
     .access = DAP_READ},
    {"the other of real and complex on rank 0", {DAP_C16, DAP_F8}, .shape = PADDED, .access = DAP_WRITE},
};

static void check_mixed_row(const mixed_row *row, int kind)
{
  const type_row *type = types;
  const bool here = row->on_odd ? test_rank() % 2 : test_rank() == 0;
  trial t = {.kind = kind, .access = row->access, .lossy = row->lossy, .row = shapes[row->shape]};
  char text[2][128];
  while (type->dtype != row->dtype[COMPLEX]) type++;
  expect_by_type(&t, type, row->on_odd, text);
  if (!t.status) t.refusal = "element type|not the same|rank 0";
  if (!t.status) t.status = DAP_ERR_ARG;
  if (t.status == DAP_ERR_ARG) t.names_write = false;
  TEST_CASE("%s: kind %d", row->why, kind);
  check_trial(&t, here ? type->dtype : scalar_dtype(), here && row->swapped, BOTH);
}

static void check_mixed(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof mixed / sizeof mixed[0] && test_nprocs() > 1; i++)
    for (int kind = FIELD; kind < CAST_KINDS; kind++) check_mixed_row(&mixed[i], kind);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(check_types),
    cmocka_unit_test(check_mixed),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
