/* Wrong arguments of dap_petsc_field_get(), on all processes or on one: the same status and text
 * everywhere. */
#include "petsc_ends.h"
#include "requests.h"

static void bad_vectors(request *r)
{
  r->field.vectors = 4;
}
static void bad_width(request *r)
{
  r->field.width = -1;
}
static void huge_width(request *r)
{
  r->field.width = INT64_MAX;
}
static void bad_boundary(request *r)
{
  r->field.boundary = DM_BOUNDARY_MIRROR;
}
static void other_width(request *r)
{
  r->field.width = 1;
}
static void too_wide(request *r)
{
  r->field.width = ROWS + 1;
}
static void share_wider(request *r)
{
  share(r);
  r->field.width = 2;
}

static const refusal refusals[] = {
    {"nowhere to put the field on one process", no_view, true, 1, DAP_ERR_ARG, "field is NULL"},
    {"vectors that are none", bad_vectors, false, 1, DAP_ERR_ARG, "vectors 4"},
    {"negative width", bad_width, true, 1, DAP_ERR_ARG, "width -1"},
    {"width beyond PetscInt", huge_width, false, 1, DAP_ERR_RANGE, "PetscInt"},
    {"a boundary that is no choice", bad_boundary, false, 1, DAP_ERR_ARG, "boundary"},
    {"a width of its own on one process", other_width, true, 2, DAP_ERR_ARG, "not the same"},
    {"a stencil wider than the grid", too_wide, false, 2, DAP_ERR_UNSUPPORTED, "24 x 6|width 25"},
    {"to share a window, one process has one", share_window, true, 2, DAP_ERR_ARG, "not the same"},
    {"to share a window", share_window, false, 1, DAP_ERR_SHARE, "contiguous"},
    {"to share a narrower halo", share_wider, false, 2, DAP_ERR_SHARE, "padding 0|2 ghost"},
};

static dap_status get(const request *r, dap_error *err)
{
  dap_petsc_field_options options = r->field;
  dap_petsc_field field;
  options.sharing = r->sharing;
  memset(&field, 0x5a, sizeof field);
  const dap_status s = dap_petsc_field_get(r->comm, (dap_darray){r->layout, &r->array}, r->access, &options,
                                           r->nowhere ? NULL : &field, err);
  if (!r->nowhere) EXPECT(!field.handle.view && !field.dm && !field.global && !field.local);
  return s;
}

static void wrong_arguments(void **state)
{
  (void)state;
  check_refusals(get, refusals, sizeof refusals / sizeof refusals[0]);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(petsc_is_initialised),
                                          cmocka_unit_test(wrong_arguments),
                                          cmocka_unit_test(petsc_is_finalised)};

MPI_TEST_MAIN(tests)
