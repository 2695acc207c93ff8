/* dap_layout_join(): the parts of all processes put together in one, and what it does without some of
 * them. */
#include "join_parts.h"
#include "random_array.h"

static void right_parts_are_joined(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
    for (int told = 0; told < 2; told++) {
      parts p;
      dap_error err = {.rank = 41, .rule = 42, .text = "untouched"};
      dap_layout *got = NULL;
      TEST_CASE("%s%s", right[i].why, told ? ", with someone to tell" : "");
      make_parts(right[i].ndim, right[i].dists, right[i].ranks, &p);
      const dap_join join = {.nprocs = p.nprocs, .context = &p, .part = part_of, .tell = told ? tell : NULL};
      EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
      EXPECT(err.rank == 41 && err.rule == 42 && !strcmp(err.text, "untouched"));
      EXPECT(is_as_read(got, p.layout));
      EXPECT_INT(p.count, 0);
      for (int k = 0; got && k < right[i].ndim; k++)
        for (int c = 0; c < dap_layout_procs(got, k); c++) EXPECT(dap_layout_knows(got, k, c));
      dap_layout_destroy(&got);
      EXPECT_INT(dap_layout_join(&join, &got, NULL), DAP_OK);
      dap_layout_destroy(&got);
      release_parts(&p);
    }
  SETTLE();
}

/* Dictionaries alone: what a buffer would say is not looked at, and what only it can say is missing. */
static void dictionaries_are_enough(void **state)
{
  (void)state;
  const dap_dist dists[] = {{.procs = 3, .size = 7, .halo = 1}, dap_dist_even(4, 1)};
  dap_error err = {0};
  dap_layout *got = NULL;
  parts p;
  make_parts(2, dists, NULL, &p);
  const parts kept = p;
  dap_join join = {.nprocs = 3, .context = &p, .part = part_of};
  for (int rank = 0; rank < 3; rank++) {
    dap_array *part = &p.part[rank];
    part->ndim = 7 - rank;
    part->dtype = rank ? DAP_NONE : (dap_dtype)99;
    part->data = NULL;
    for (int k = 0; k < DAP_MAX_NDIM; k++) part->shape[k] = -rank, part->strides[k] = INT64_MIN;
  }
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_BUFFER, &err, "rank 0: |2|7 axes");
  join.without_buffers = true;
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  EXPECT(dap_layout_is_equal(got, p.layout));
  dap_layout_destroy(&got);
  for (int rank = 0; rank < 3; rank++) p.part[rank].dims[1] = (dap_dim){0};
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_DIM, &err,
              "rank 0: axis 1|empty dictionary|buffer");
  expect_rule(&err, 12);
  EXPECT(got == NULL);
  join.without_buffers = false;
  p = kept;
  for (int rank = 0; rank < 3; rank++) p.part[rank].dims[1] = (dap_dim){0};
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  EXPECT(dap_layout_is_equal(got, p.layout));
  dap_layout_destroy(&got);
  p = kept;
  release_parts(&p);
  SETTLE();
}

static void rules_may_be_named(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_padded(9, 3, 1);
  dap_error err = {0};
  dap_layout *got = NULL;
  parts p;
  make_parts(1, &dist, NULL, &p);
  dap_join join = {.nprocs = 3, .context = &p, .part = part_of};
  for (int rank = 0; rank < 3; rank++) {
    snprintf(p.part[rank].version, DAP_VERSION_TEXT, "0.9.0"); /* of dictionaries that are 0.10's */
  }
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_BUFFER, &err, "rank 0: axis 0|0.9.*|exclude");
  expect_rule(&err, 8);
  join.rules = "0.10.5";
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  EXPECT(dap_layout_is_equal(got, p.layout));
  dap_layout_destroy(&got);
  for (int rank = 0; rank < 3; rank++) snprintf(p.part[rank].version, DAP_VERSION_TEXT, "ours");
  EXPECT_OK(dap_layout_join(&join, &got, &err), &err);
  dap_layout_destroy(&got);
  snprintf(p.part[2].version, DAP_VERSION_TEXT, "theirs");
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_LAYOUT, &err, "rank 2: |'theirs'|'ours' on rank 0");
  expect_rule(&err, 2);
  join.rules = "0.11";
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_VERSION, &err, "rank 0: rules '0.11'");
  expect_rule(&err, 2);
  release_parts(&p);
  SETTLE();
}

/* ---- parts that are not to be had, and what is not there ----------------------------------------- */

static void a_part_that_fails(void **state)
{
  (void)state;
  for (int told = 0; told < 2; told++)
    for (int rank = 0; rank < 6; rank++) {
      parts p;
      dap_error err = {0};
      make_parts(right[2].ndim, right[2].dists, NULL, &p);
      p.refuses = rank;
      const dap_join join = {.nprocs = p.nprocs, .context = &p, .part = part_of, .tell = told ? tell : NULL};
      dap_layout *got = p.layout;
      char want[64];
      snprintf(want, sizeof want, "rank %d: no file for %d", rank, rank);
      TEST_CASE("of rank %d", rank);
      EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_LIBRARY, &err, want);
      expect_rule(&err, 0);
      EXPECT(got == NULL && err.rank == rank);
      EXPECT_INT(p.count, told);
      EXPECT_INT(p.asked[rank], 1); /* nothing is asked again once it has failed */
      release_parts(&p);
    }
  SETTLE();
}

/* One part of six: that the others are missing, and what is wrong with it all the same. */
static void one_part_of_many(void **state)
{
  (void)state;
  for (int faulty = 0; faulty < 2; faulty++) {
    parts p;
    dap_error err = {0};
    dap_layout *got = NULL;
    make_parts(right[2].ndim, right[2].dists, NULL, &p);
    if (faulty) p.part[0].dims[0].start = 1;
    if (faulty) p.part[0].shape[0]--;
    const dap_join join = {.nprocs = 1, .context = &p, .part = part_of, .tell = tell};
    TEST_CASE("%s", faulty ? "whose range begins at 1" : "as it should be");
    EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_LAYOUT, &err,
                "rank 0: axis 0: proc_grid_size|but 1 gave");
    expect_rule(&err, 6);
    EXPECT_INT(p.count, 1 + faulty);
    if (faulty)
      EXPECT(p.found[1].rule == 8 && test_contains(p.found[1].text, "rank 0: axis 0: |from 1, not from 0"));
    EXPECT(got == NULL);
    release_parts(&p);
  }
  SETTLE();
}

static void what_is_not_there_is_refused(void **state)
{
  (void)state;
  parts p;
  dap_error err = {0};
  dap_layout *got = (dap_layout *)&p;
  make_parts(right[1].ndim, right[1].dists, NULL, &p);
  dap_join join = {.nprocs = 1, .context = &p, .part = part_of};
  EXPECT_FAIL(dap_layout_join(NULL, &got, &err), DAP_ERR_ARG, &err, "join|NULL");
  EXPECT(got == NULL);
  EXPECT_FAIL(dap_layout_join(&join, NULL, &err), DAP_ERR_ARG, &err, "layout|NULL");
  join.nprocs = 0;
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_ARG, &err, "nprocs 0");
  join.nprocs = -3;
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_ARG, &err, "nprocs -3");
  join.nprocs = 1;
  join.part = NULL;
  EXPECT_FAIL(dap_layout_join(&join, &got, &err), DAP_ERR_ARG, &err, "part|NULL");
  EXPECT_INT(p.asked[0], 0);
  release_parts(&p);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_parts_are_joined), cmocka_unit_test(dictionaries_are_enough),
    cmocka_unit_test(rules_may_be_named),     cmocka_unit_test(a_part_that_fails),
    cmocka_unit_test(one_part_of_many),       cmocka_unit_test(what_is_not_there_is_refused),
};

MPI_TEST_MAIN(tests)
