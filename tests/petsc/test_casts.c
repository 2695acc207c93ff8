/* Elements of another type than PetscScalar, or in the other byte order: what is refused, what is converted,
 * and what becomes of every element. Which casts lose something is written down
 * here by hand, and what they lose is the model of tests/transfer/number.h. */
#include "casts_test.h"

#if defined(PETSC_USE_COMPLEX)
enum { COMPLEX = 1 };
static const char scalar_name[] = "complex128";
#else
enum { COMPLEX = 0 };
static const char scalar_name[] = "float64";
#endif

/* Does every value of the type survive in a PetscScalar (in), every PetscScalar in the type (out)?
 * {real, complex} */
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

/* Where the reason is NULL it names the types; "" is any. */
static const field_row shapes[] = {
  {"unpadded", 2, {12, 12}, .spread = ALONG_FIRST},
  {"columns in ranges", 2, {12, 12}, ALONG_LAST, .reason = ""},
  {"a halo of 1", 2, {12, 12}, ALONG_FIRST, .halo = {1}},
  {"a halo of 1 on a grid of both axes", 2, {12, 12}, SQUARE, .halo = {1, 1}, .reason = ""},
  {"a halo of 1, boundary padding that is points", 2, {12, 12}, ALONG_FIRST, .halo = {1},
   .boundary = {{1, 1}}},
  {"a halo of 1, boundary padding that is ghost points", 2, {12, 12}, ALONG_FIRST, .halo = {1},
   .boundary = {{1, 1}}, .options = {.width = 1, .boundary = DM_BOUNDARY_GHOSTED}},
  {"a halo of 1 that wraps", 2, {12, 12}, ALONG_FIRST, .halo = {1}, .periodic = {1}, .wraps = {1}},
  {"empty processes", 2, {12, 12}, .spread = ALONG_FIRST, .lengths = HOLES},
  {"block-cyclic", 2, {12, 12}, ALONG_FIRST, CYCLIC, .reason = ""},
};
enum { PLAIN = 0, PADDED = 2, GHOSTS = 5, EMPTY = 7, SHAPES = sizeof shapes / sizeof shapes[0] };

/* clang-format on */

/* ---- every type ----------------------------------------------------------------------------------- */

static const type_row *row_of(dap_dtype dtype)
{
  const type_row *row = types;
  while (row->dtype != dtype) row++;
  return row;
}

/* What is to be expected, by the tables. */
static void expect_by_type(trial *t, const type_row *type, char text[2][128])
{
  t->in = type->in[COMPLEX];
  t->out = type->out[COMPLEX];
  const bool other = type->dtype != scalar_dtype();
  (void)snprintf(text[0], 128, "rank 0|%s|%s|lossy", type->name, scalar_name);
  (void)snprintf(text[1], 128, "%s|PetscScalar|%s", type->name, scalar_name);
  const bool reads = t->view.access & DAP_READ;
  const bool held_by_all = (t->in || !reads) && (t->view.access == DAP_READ || t->out);
  t->refusal = held_by_all || t->view.lossy ? NULL : text[0];
  t->converts = other || t->swapped;
  t->reason = t->view.shape->reason ? t->view.shape->reason : other ? text[1] : "other byte order";
}

/* Shape, form of the buffer and of the view are drawn by lot, the same on every process. */
static trial draw(test_random *random, const type_row *type, int kind)
{
  static const dap_petsc_form forms[] = {DAP_PETSC_ANY, DAP_PETSC_DENSE};
  trial t = {.numbers = type->dtype, .dtype = type->dtype};
  t.view.kind = kind;
  t.view.shape = &shapes[test_random_int(random, 0, SHAPES - 1)];
  t.view.vectors = (unsigned)test_random_int(random, 1, 3);
  t.view.form = forms[test_random_int(random, 0, 1)];
  t.form = (test_form)test_random_int(random, 0, FORM_COUNT - 1);
  return t;
}

static void check_types(void **state)
{
  (void)state;
  test_random random = test_random_init(31);
  char text[2][128];
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    for (int c = 0; c < 3 * 2 * 2 * CAST_KINDS; c++) {
      const type_row *type = &types[i];
      trial t = draw(&random, type, c % CAST_KINDS);
      t.view.access = (dap_access)(c / CAST_KINDS % 3 + 1);
      t.view.lossy = t.is_rough = c / CAST_KINDS / 3 % 2;
      t.swapped = c / CAST_KINDS / 6;
      if (type->dtype == scalar_dtype() && !t.swapped)
        t.view.form = DAP_PETSC_DENSE; /* a shell is not written */
      expect_by_type(&t, type, text);
      TEST_CASE("%s (%s): kind %d, access %d, lossy %d, swapped %d, form %d, vectors %u, %s", type->name,
                type->why, t.view.kind, t.view.access, t.view.lossy, t.swapped, t.form, t.view.vectors,
                t.view.shape->why);
      /* the costly ones: one of a type */
      if (t.view.kind != SCALAPACK || t.refusal || (t.view.access == DAP_READ_WRITE && t.swapped))
        check_trial(&t);
    }
}

/* Every shape and form with a type that has another size. */
static void check_shapes(void **state)
{
  (void)state;
  test_random random = test_random_init(37);
  char text[2][128];
  for (int s = 0; s < SHAPES; s++)
    for (int form = FORM_C; form < FORM_COUNT; form++) {
      const type_row *type = row_of(form % 2 ? DAP_F4 : DAP_C32);
      trial t = draw(&random, type, FIELD);
      t.view.shape = &shapes[s];
      t.view.access = DAP_READ_WRITE;
      t.view.lossy = true;
      t.form = (test_form)form;
      t.swapped = s % 2;
      expect_by_type(&t, type, text);
      TEST_CASE("%s: form %d, vectors %u", shapes[s].why, form, t.view.vectors);
      check_trial(&t);
    }
}

/* ---- types that differ between processes ---------------------------------------------------------- */

/* Some processes have the type, the others PetscScalars. */
typedef struct mixed_row {
  const char *why;
  dap_dtype dtype[2]; /* {real, complex} */
  bool swapped;
  bool on_odd; /* else on rank 0 */
  int shape;
  dap_access access;
  bool lossy;
} mixed_row;

/* clang-format off */
static const mixed_row mixed[] = {
  {"half the digits on rank 0", {DAP_F4, DAP_C8}, .shape = PLAIN, .access = DAP_READ},
  {"half the digits on rank 0, padded", {DAP_F4, DAP_C8}, .shape = PADDED, .access = DAP_READ},
  {"half the digits on rank 0, written", {DAP_F4, DAP_C8}, .shape = PADDED, .access = DAP_WRITE},
  {"half the digits on rank 0, written with leave", {DAP_F4, DAP_C8}, .shape = PADDED,
   .access = DAP_READ_WRITE,
   .lossy = true},
  {"half the digits and the other byte order on rank 0", {DAP_F4, DAP_C8}, .swapped = true, .shape = PADDED,
   .access = DAP_READ},
  {"integers on odd processes", {DAP_I4, DAP_I4}, .on_odd = true, .shape = PADDED, .access = DAP_READ},
  {"integers on odd processes, written with leave", {DAP_I4, DAP_I4}, .on_odd = true, .shape = GHOSTS,
   .access = DAP_READ_WRITE, .lossy = true},
  {"too long integers on odd processes", {DAP_I8, DAP_I8}, .on_odd = true, .shape = PADDED,
   .access = DAP_READ},
  {"the other of real and complex on rank 0", {DAP_C16, DAP_F8}, .shape = PADDED, .access = DAP_WRITE},
  {"integers where there are no elements: nothing to convert", {DAP_I4, DAP_I4}, .on_odd = true,
   .shape = EMPTY, .access = DAP_READ},
  {"too long integers where there are no elements: refused all the same", {DAP_I8, DAP_I8}, .on_odd = true,
   .shape = EMPTY, .access = DAP_READ},
};
/* clang-format on */

static void check_mixed_row(const mixed_row *row, int kind)
{
  char text[2][128];
  const type_row *type = row_of(row->dtype[COMPLEX]);
  const bool here = row->on_odd ? test_rank() % 2 : test_rank() == 0;
  const bool anywhere = !row->on_odd || test_nprocs() > 1;
  trial t = {.numbers = type->dtype, .swapped = row->swapped};
  t.view = (cast_view){.kind = kind,
                       .shape = &shapes[row->shape],
                       .access = row->access,
                       .lossy = row->lossy,
                       .vectors = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL,
                       .form = DAP_PETSC_DENSE};
  t.form = kind == MATRIX ? FORM_F : FORM_C;
  expect_by_type(&t, type, text);
  text[0][5] = row->on_odd ? '1' : '0'; /* "rank 1" */
  t.dtype = here ? type->dtype : scalar_dtype();
  t.swapped = here && row->swapped;
  t.converts = anywhere && row->shape != EMPTY;
  if (!anywhere) t.refusal = NULL;
  t.is_mixed = anywhere && test_nprocs() > 1 && !t.refusal;
  if (t.is_mixed) t.refusal = "element type|not the same|rank 0";
  TEST_CASE("%s: kind %d", row->why, kind);
  check_trial(&t);
  if (row->shape == EMPTY && !t.refusal && kind != SCALAPACK)
    EXPECT_MSG(any_is_shared(&t.view.got), "moved for a type that no element has: %s, %s, %s",
               t.view.got.field.reason_local, t.view.got.vector.reason, t.view.got.matrix.reason);
  SETTLE();
}

static void check_mixed(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++)
    for (int kind = FIELD; kind < CAST_KINDS; kind++) check_mixed_row(&mixed[i], kind);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(check_types), cmocka_unit_test(check_shapes),
    cmocka_unit_test(check_mixed),  cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
