/* Defines tables of arrays for dap_array_check(). Each row changes one process's part of a valid layout. */
#ifndef DAP_TEST_CHECK_ROWS_H
#define DAP_TEST_CHECK_ROWS_H

#include "mpi_test.h"
#include "mutate.h"

#include <dapbridge/parse.h>
#include <inttypes.h>

/* The valid array that a row changes: one process's part of a layout, in the words of a version. */
typedef struct base {
  const char *version, *layout;
  int rank;
  const char *changes; /* NULL: no changes */
} base;

static const base block = {"0.10.0", "12 on 3: b(halo 1)", 1, NULL};
static const base block09 = {"0.9.0", "12 on 3: b[3,6,3](halo 1)", 1, NULL};
static const base edge = {"0.10.0", "8 on 2: b(halo 1, boundary 2 0)", 0, NULL};
static const base edge09 = {"0.9.0", "8 on 2: b(halo 1, boundary 0 2)", 1, NULL};
static const base round09 = {"0.9.0", "12 on 3: b(halo 1, periodic, wraps)", 0, NULL};
static const base undistributed09 = {"0.9.0", "6: b", 0,
                                     "type n, procs absent, rank absent, start absent, stop absent"};
static const base cyclic = {"0.10.0", "10 on 3: c(2)", 1, NULL};
static const base partial = {"0.10.0", "5 on 2: c(3)", 1, NULL};
static const base table2 = {"0.10.0", "3x4 on 1x2: b, c", 0, "type {}, axis 1 block_size absent"};
static const base listed = {"0.10.0", "8 on 2: u[1,2,4,5,6][7,0,3]", 1, NULL};
static const base scalar = {"0.10.0", "scalar", 0, NULL};

typedef struct row {
  const char *why;
  const base *base;
  const char *changes; /* in the words of change_array() */
  dap_status want;
  const char *parts; /* parts of the message */
  int rule;          /* rule that is broken; 0: none of the protocol's */
} row;

/* Values of a row whose check succeeds and does not change the error. */
#define IS_LEGAL DAP_OK, "as it was", 0

/* Makes the array of a base. The caller releases it through a copy of its present state, because rows
 * change it. */
static inline void make_base(const base *of, dap_array *array)
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  int coords[DAP_MAX_NDIM];
  EXPECT_OK(dap_layout_parse(of->layout, &layout, &err), &err);
  EXPECT_OK(dap_array_init(array, layout, of->rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  dap_layout_coords(layout, of->rank, coords);
  for (int k = 0; k < array->ndim && strcmp(array->version, of->version) != 0; k++)
    EXPECT_OK(dap_layout_dim(layout, of->version, k, coords[k], &array->dims[k], &err), &err);
  snprintf(array->version, sizeof array->version, "%s", of->version);
  if (of->changes) change_array(array, of->changes);
  dap_layout_destroy(&layout);
}

static inline void check_rows(const row rows[], size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const row *r = &rows[i];
    dap_array right, array;
    dap_error err = {.rank = 5, .rule = 77, .text = "as it was"};
    TEST_CASE("%s", r->why);
    make_base(r->base, &right);
    array = right;
    change_array(&array, r->changes);
    EXPECT_FAIL(dap_array_check(&array, &err), r->want, &err, r->parts);
    EXPECT_INT(dap_array_check(&array, NULL), r->want);
    EXPECT_INT(err.rank, r->want ? -1 : 5);
    if (r->want)
      expect_rule(&err, r->rule);
    else
      EXPECT_INT(err.rule, 77);
    dap_array_release(&right);
  }
  SETTLE();
}

#define ROWS(name)                                                                                           \
  static void check_##name(void **state)                                                                     \
  {                                                                                                          \
    (void)state;                                                                                             \
    check_rows(name, sizeof name / sizeof name[0]);                                                          \
  }

#endif
