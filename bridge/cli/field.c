/* Finds out whether PETSc works in an array's buffers as a field, by the conditions of dap_petsc_field_get()
 * with its default options. */
#include "check.h"
#include "cli_impl.h"

#include <inttypes.h>
#include <string.h>

/* The field of an array. */
typedef struct field {
  const dap_layout *layout;
  const dap_array *arrays; /* [nprocs] buffers; NULL: they have no gaps and are in `order` */
  dap_order order;
  int64_t width; /* of the ghost points */
} field;

/* ---- the layout ------------------------------------------------------------------------------------ */

static int64_t ghosts(const dap_layout *layout, int axis, int coord, int side)
{
  int64_t halo[2];
  dap_layout_halo(layout, axis, coord, halo);
  return halo[side];
}

/* Returns the width of the widest ghosts. An array on one process shows no width: then it is 1, or 0 for
 * a line of one point. */
static int64_t find_width(const dap_layout *layout)
{
  const int ndim = dap_layout_ndim(layout);
  int64_t width = 0;
  bool shows_width = false;
  for (int k = 0; k < ndim; k++) {
    const dap_axis a = dap_layout_axis(layout, k);
    shows_width = shows_width || a.procs > 1 || a.periodic;
    for (int i = 0; i < 2 * a.procs; i++)
      if (ghosts(layout, k, i / 2, i % 2) > width) width = ghosts(layout, k, i / 2, i % 2);
  }
  if (width > 0 || shows_width) return width;
  return ndim > 1 || dap_layout_size(layout, 0) > 1;
}

/* DMSetUp() needs as many points as processes along an axis, and ranges as long as the stencil is wide. */
static bool is_long_enough(const field *f, int axis, int64_t points)
{
  const dap_axis a = dap_layout_axis(f->layout, axis);
  const bool is_line = dap_layout_ndim(f->layout) == 1;
  if (a.size < a.procs && !(is_line && f->width == 0)) return false;
  const bool has_neighbour = a.procs > 1 || a.periodic || (is_line && a.size > 1);
  return points >= f->width || !has_neighbour;
}

static dap_status check_ranges(const field *f, dap_error *why)
{
  for (int k = 0; k < dap_layout_ndim(f->layout); k++) {
    const dap_axis a = dap_layout_axis(f->layout, k);
    const bool is_list = a.dist_type == 'u',
               is_dealt = a.dist_type == 'c' && dap_layout_ranges(f->layout, k, NULL, NULL);
    DAP_REQUIRE(!is_list && !is_dealt, why, DAP_ERR_SHARE, "axis %d is %s; a DMDA has one range per process",
                k,
                a.partial      ? "in partial sums"
                : a.replicated ? "replicated"
                : is_list      ? "unstructured"
                               : "cyclic");
    for (int c = 0; c < a.procs; c++) {
      const int64_t points = dap_layout_owned(f->layout, k, c);
      DAP_REQUIRE(is_long_enough(f, k, points), why, DAP_ERR_SHARE,
                  "axis %d: proc_grid_rank %d has %" PRId64 " of %" PRId64
                  " points, too few for a DMDA with stencil width %" PRId64,
                  k, c, points, a.size, f->width);
    }
  }
  return DAP_OK;
}

/* A DMDA has ghost points of its width at each side, but not outside the grid unless that is periodic. */
static dap_status check_ghosts(const field *f, dap_error *why)
{
  for (int k = 0; k < dap_layout_ndim(f->layout); k++) {
    const dap_axis a = dap_layout_axis(f->layout, k);
    for (int i = 0; i < 2 * a.procs; i++) {
      const int c = i / 2, side = i % 2;
      const bool is_end = !a.periodic && c == (side ? a.procs - 1 : 0);
      const int64_t has = ghosts(f->layout, k, c, side), wants = is_end ? 0 : f->width;
      DAP_REQUIRE(has == wants, why, DAP_ERR_SHARE,
                  "axis %d: proc_grid_rank %d has padding %" PRId64
                  " at its %s end, the DMDA's local vector %" PRId64 " ghost points",
                  k, c, has, side ? "high" : "low", wants);
    }
  }
  return DAP_OK;
}

/* ---- the buffers ----------------------------------------------------------------------------------- */

/* Multiplies sizes; INT64_MAX is more than any. */
static int64_t times(int64_t a, int64_t b)
{
  return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

/* Checks that the whole buffer of a process, or its owned part, has no gaps. */
static dap_status check_memory(const field *f, int rank, bool is_whole, dap_error *why)
{
  const int ndim = dap_layout_ndim(f->layout);
  const dap_array *array = f->arrays ? &f->arrays[rank] : NULL;
  const char *what = is_whole ? "the buffer is" : "the owned elements are";
  int coords[DAP_MAX_NDIM];
  int64_t stride = array ? dap_dtype_size(array->dtype) : 1, packed = stride;
  dap_layout_coords(f->layout, rank, coords);
  for (int k = 0; k < ndim; k++)
    if ((is_whole ? dap_layout_extent : dap_layout_owned)(f->layout, k, coords[k]) == 0) return DAP_OK;
  for (int i = 0; i < ndim; i++) { /* the fastest axis first */
    const int k = f->order == DAP_ORDER_C ? ndim - 1 - i : i;
    const int64_t extent = dap_layout_extent(f->layout, k, coords[k]);
    const int64_t count = is_whole ? extent : dap_layout_owned(f->layout, k, coords[k]);
    DAP_REQUIRE(count == 1 || (array ? array->strides[k] : packed) == stride, why, DAP_ERR_SHARE,
                "rank %d, axis %d: %s not contiguous in %c order", rank, k, what, (char)f->order);
    stride = times(stride, count);
    packed = times(packed, extent);
  }
  DAP_REQUIRE(!array || !array->swapped, why, DAP_ERR_SHARE,
              "rank %d: the elements are in the other byte order", rank);
  return DAP_OK;
}

static dap_status check_buffers(const field *f, bool is_whole, dap_error *why)
{
  for (int rank = 0; rank < dap_layout_nprocs(f->layout); rank++)
    DAP_TRY(check_memory(f, rank, is_whole, why));
  return DAP_OK;
}

/* Chooses the order that the buffers of all processes are in; C if they are in both, or in none. */
static dap_order choose_order(field f)
{
  f.order = DAP_ORDER_F;
  const bool is_f = !check_buffers(&f, true, NULL);
  f.order = DAP_ORDER_C;
  return is_f && check_buffers(&f, true, NULL) ? DAP_ORDER_F : DAP_ORDER_C;
}

/* ---- the verdict ----------------------------------------------------------------------------------- */

static dap_status check_vector(const field *f, bool is_local, dap_error *why)
{
  const dap_dtype type = f->arrays ? f->arrays[0].dtype : DAP_F8;
  DAP_REQUIRE(type == DAP_F4 || type == DAP_F8 || type == DAP_C8 || type == DAP_C16, why, DAP_ERR_SHARE,
              "the elements are %s, which no PETSc has as PetscScalar", dap_dtype_name(type));
  DAP_TRY(check_ranges(f, why));
  if (is_local) DAP_TRY(check_ghosts(f, why));
  return check_buffers(f, is_local, why);
}

static cli_field_verdict judge(const field *f, bool is_local)
{
  cli_field_verdict v = {.vector = is_local ? "local" : "global", .order = f->arrays ? 0 : f->order};
  dap_error why = {0};
  v.is_shared = !check_vector(f, is_local, &why);
  if (v.is_shared && is_local)
    (void)snprintf(why.text, sizeof why.text, "the buffer is contiguous; the stencil width is %" PRId64,
                   f->width);
  else if (v.is_shared)
    (void)snprintf(why.text, sizeof why.text, "the owned part of the buffer is contiguous");
  memcpy(v.why, why.text, sizeof v.why);
  if (f->arrays) v.type = f->arrays[0].dtype;
  return v;
}

/* Without buffers there is a verdict for each order, or one for both if they are the same. */
dap_status cli_judge_field(const dap_layout *layout, const dap_array *arrays,
                           cli_field_verdict verdicts[CLI_FIELD_VERDICTS], int *count, dap_error *err)
{
  const int ndim = dap_layout_ndim(layout);
  *count = 0;
  DAP_REQUIRE(ndim >= 1 && ndim <= 3, err, DAP_ERR_UNSUPPORTED, "a DMDA has 1 to 3 axes, the array has %d",
              ndim);
  field f = {layout, arrays, DAP_ORDER_C, find_width(layout)}, other = {layout, NULL, DAP_ORDER_F, f.width};
  if (arrays) f.order = choose_order(f);
  for (int is_local = 0; is_local < 2; is_local++) {
    cli_field_verdict *first = &verdicts[(*count)++];
    *first = judge(&f, is_local);
    if (arrays) continue;
    first[1] = judge(&other, is_local);
    const bool is_same = first->is_shared == first[1].is_shared && !strcmp(first->why, first[1].why);
    if (is_same) first->order = 0;
    *count += !is_same;
  }
  return DAP_OK;
}
