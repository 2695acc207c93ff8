/* One array as one view: refused, or converted, with what goes in and out. */
#include "casts_test.h"
#include "variants.h"

/* ---- which number lies where ---------------------------------------------------------------------- */

/* A number of the type, and of PetscScalar, for each index below 150; another one after a write than before
 * it. Integers go from one end of the type to the other, or of what a double holds. */
static number exact_number(dap_dtype dtype, int64_t index, bool after)
{
  const long double i = (long double)index, shift = after;
  switch (dtype) {
  case DAP_NONE:
    break;
  case DAP_BOOL:
    return (number){(long double)((index * 5 / 3 + after) % 2), 0};
  case DAP_I1:
    return (number){(long double)((index * 7 + after * 3) % 251 - 125), 0};
  case DAP_U1:
    return (number){(long double)((index * 7 + after * 3) % 251), 0};
  case DAP_I2:
    return (number){i * 401 - 30000 + shift, 0};
  case DAP_U2:
    return (number){i * 433 + shift, 0};
  case DAP_I4:
    return (number){i * 28000003 - 2100000000 + shift, 0};
  case DAP_U4:
    return (number){i * 28000003 + shift, 0};
  case DAP_I8:
    return (number){i * 60000000000001 - 4400000000000000 + shift, 0};
  case DAP_U8:
    return (number){i * 60000000000001 + shift, 0};
  case DAP_F2:
    return (number){i / 2 - 30 + shift / 8, 0};
  case DAP_F4:
    return (number){i + 0x1p-12L + shift * 512, 0};
  case DAP_F8:
  case DAP_F16:
    return (number){i + 0x1p-40L + shift * 512, 0};
  case DAP_C8:
  case DAP_C16:
  case DAP_C32: {
    const bool pairs = sizeof(PetscScalar) > sizeof(PetscReal);
    return (number){i + 0x1p-12L + shift * 512, pairs ? -i - 0.25L - shift * 1024 : 0};
  }
  }
  return (number){0, 0};
}

static PetscScalar scalar_number(number value)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX((PetscReal)value.re, (PetscReal)value.im);
#else
  return (PetscReal)value.re;
#endif
}

/* What is left of a number in a type. */
static number through(dap_dtype dtype, number value)
{
  unsigned char bytes[NUMBER_BYTES];
  number_write(dtype, value, bytes);
  return number_read(dtype, bytes);
}

static number number_at(const trial *t, int64_t index, bool after)
{
  number n = exact_number(t->numbers, index, after);
  if (!t->is_rough) return n;
  n.re += 1 / (long double)(3 + index % 5);
  n.im = -(long double)(index % 7) / 3 - after;
  return n;
}

/* What the array holds; what the view shows of it; what is put into that; what the array holds then. */
static number held(const trial *t, int64_t index)
{
  return through(t->dtype, number_at(t, index, false));
}

static PetscScalar shown(const void *model, int64_t index)
{
  return scalar_number(through(scalar_dtype(), held(model, index)));
}

static PetscScalar put(const void *model, int64_t index)
{
  return scalar_number(through(scalar_dtype(), number_at(model, index, true)));
}

static number got(const trial *t, int64_t index)
{
  /* what lies outside the grid is not in the global vector */
  const int64_t row = index / t->view.shape->size[1];
  const bool outer =
      row < edge_of(t->view.shape, 0, 0) || row >= t->view.shape->size[0] - edge_of(t->view.shape, 0, 1);
  if (t->view.kind == FIELD && t->view.vectors == DAP_PETSC_GLOBAL && outer) return held(t, index);
  return through(t->dtype, through(scalar_dtype(), number_at(t, index, true)));
}

static PetscScalar zero(const void *model, int64_t index)
{
  (void)model;
  (void)index;
  return 0;
}

/* ---- the array ------------------------------------------------------------------------------------ */

/* Steps through the buffer; false at the end. */
static bool step(const trial *t, int64_t local[2])
{
  if (++local[1] < t->array.shape[1]) return true;
  local[1] = 0;
  return ++local[0] < t->array.shape[0];
}

/* The element there, and its index; false for communication padding. */
static bool element(const trial *t, const int64_t local[2], void **at, int64_t *index)
{
  int64_t global[2] = {0};
  bool owned = false;
  EXPECT_OK(dap_layout_globalize(t->layout, test_rank(), local, global, &owned, NULL), NULL);
  *at = (char *)t->array.data + local[0] * t->array.strides[0] + local[1] * t->array.strides[1];
  *index = global[0] * t->view.shape->size[1] + global[1];
  return owned;
}

/* Communication padding is poison, but where a view may share it, as ghost points. */
static void make_array(trial *t)
{
  test_random random = test_random_init(7);
  t->layout = row_layout(t->view.shape);
  t->buffer = test_buffer_make(t->layout, test_rank(), dap_dtype_size(t->dtype), t->form, &random);
  t->array = test_buffer_array(&t->buffer, t->dtype);
  t->array.readonly = t->view.access == DAP_READ;
  int64_t local[2] = {0}, index;
  void *at;
  for (bool more = dap_array_count(&t->array) > 0; more; more = step(t, local))
    if (element(t, local, &at, &index) || !t->converts) number_write(t->dtype, held(t, index), at);
  if (t->swapped) variant_swap(&t->array);
  t->before = malloc((size_t)t->buffer.bytes);
  memcpy(t->before, t->buffer.memory, (size_t)t->buffer.bytes);
}

static void check_untouched(const trial *t)
{
  EXPECT_MSG(!memcmp(t->before, t->buffer.memory, (size_t)t->buffer.bytes), "the buffer was written to");
}

/* Every element, padding too. */
static void check_written(trial *t)
{
  if (t->swapped) variant_swap(&t->array);
  int64_t local[2] = {0}, index;
  void *at;
  for (bool more = dap_array_count(&t->array) > 0; more; more = step(t, local)) {
    const bool owned = element(t, local, &at, &index);
    const number want = got(t, index), have = number_read(t->dtype, at);
    EXPECT_MSG(number_is(have, want, false),
               "array element %d, owned %d, is (%.20Lg, %.20Lg), not (%.20Lg, %.20Lg)", (int)index, owned,
               have.re, have.im, want.re, want.im);
  }
  EXPECT(check_gaps(&t->buffer));
}

/* ---- refused -------------------------------------------------------------------------------------- */

static void check_refused(trial *t)
{
  dap_error err = {.rank = -1};
  const dap_status s = view_get(&t->view, t->layout, &t->array, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, t->is_mixed ? DAP_ERR_ARG : DAP_ERR_BUFFER, t->refusal);
  EXPECT_INT(err.rule, t->is_mixed ? 0 : 20);
  /* the first thing that is lost is named */
  const bool reads = t->view.access & DAP_READ; /* a cast that is not done loses nothing */
  EXPECT_MSG((strstr(err.text, "DAP_WRITE") != NULL) == ((t->in || !reads) && !t->is_mixed), "%s", err.text);
  EXPECT(!any_is_live(&t->view.got) && any_moved(&t->view.got) == 0);
  check_untouched(t);
  if (!s) EXPECT_OK(any_do(&t->view.got, RESTORE, &err), &err);
}

/* ---- converted ------------------------------------------------------------------------------------ */

/* The verdict and its reason, the same on every process. */
static void check_verdict(const trial *t)
{
  if (!t->converts) return;
  EXPECT(!any_is_shared(&t->view.got));
  const char *reason = t->reason;
  EXPECT_MSG(view_says(&t->view, reason), "the reason (%s, %s, %s, %s) lacks '%s'",
             t->view.got.field.reason_local, t->view.got.field.reason_global, t->view.got.vector.reason,
             t->view.got.matrix.reason, reason);
}

static void check_demand(const trial *t)
{
  dap_error err = {.rank = -1};
  cast_view other = {.kind = t->view.kind,
                     .shape = t->view.shape,
                     .access = DAP_READ,
                     .sharing = DAP_SHARE_OR_FAIL,
                     .lossy = t->view.lossy,
                     .vectors = t->view.vectors,
                     .form = t->view.form};
  if (!t->converts) return;
  const dap_status s = view_get(&other, t->layout, &t->array, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_SHARE, t->view.kind == SCALAPACK ? "" : t->reason);
  EXPECT(!any_is_live(&other.got));
  if (!s) EXPECT_OK(any_do(&other.got, RESTORE, &err), &err);
}

static void check_converted(trial *t)
{
  dap_error err = {.rank = -1};
  cast_view *v = &t->view;
  if (!EXPECT_OK(view_get(v, t->layout, &t->array, &err), &err)) return;
  check_verdict(t);
  const int64_t moved = any_moved(&v->got);
  if (v->access == DAP_WRITE && !any_is_shared(&v->got)) view_check(v, zero, NULL);
  if (v->access == DAP_WRITE) EXPECT_INT(moved, 0);
  if (v->access & DAP_READ) view_check(v, shown, t);
  check_untouched(t);
  if (v->access & DAP_WRITE) view_fill(v, put, t);
  EXPECT_OK(any_do(&v->got, RESTORE, &err), &err);
  EXPECT(!any_is_live(&v->got));
  if (v->access & DAP_WRITE) {
    EXPECT_MSG(any_moved(&v->got) >= moved, "moved_bytes %d after %d", (int)any_moved(&v->got), (int)moved);
    check_written(t);
  } else {
    EXPECT_INT(any_moved(&v->got), moved);
    check_untouched(t);
  }
}

void check_trial(trial *t)
{
  make_array(t);
  if (t->refusal) {
    check_refused(t);
  } else {
    if (t->view.access == DAP_READ) check_demand(t);
    check_converted(t);
  }
  free(t->before);
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
  SETTLE();
}
