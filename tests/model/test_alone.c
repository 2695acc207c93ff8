/* Tests dap_array_check() with parts that no other processes could complete, and with dictionaries whose
 * meaning differs in the next version of the protocol. */
#include "check_rows.h"

/* Parts that no other processes could complete. */
static const base pair = {"0.10.0", "10 on 2: b", 0, NULL};
static const base only = {"0.10.0", "10: b", 0, NULL};

static const row alone[] = {
    {"the first does not begin at 0", &edge, "start 1, extent 4", DAP_ERR_DIM,
     "axis 0|first process|from 1, not from 0", 8},
    {"the last does not end at size", &block, "rank 2, pad_high 0", DAP_ERR_DIM,
     "axis 0|last process|to 9, not to size 12", 8},
    {"0.9: the first does not begin at 0", &block09, "rank 0, pad_low 0, extent 7", DAP_ERR_DIM,
     "axis 0|first process|from 3, not from 0", 8},
    {"the only one does not have all", &edge, "procs 1, pad_high 0", DAP_ERR_DIM,
     "axis 0|last process|to 5, not to size 8", 8},
    {"the first is empty, wherever it says", &edge, "start 4, stop 4, pad_low 0, pad_high 0, extent 0",
     IS_LEGAL},
    {"dealt out to one, who is empty", &cyclic, "procs 1, rank 0, start 10, extent 0", DAP_ERR_DIM,
     "axis 0|start 10|5 blocks for 1", 14},
    {"dealt out to three, who all get some", &cyclic, "start 10, extent 0", DAP_ERR_DIM,
     "axis 0|start 10|empty|5 blocks for 3", 14},
    {"dealt out to three, the last of whom gets none", &cyclic, "size 4, start 10, extent 0", IS_LEGAL},
    {"more padding than it owns for its neighbour", &block, "pad_low 4", DAP_ERR_DIM,
     "axis 0|communication padding[0] 4|more than 1", 10},
    {"more padding than is left for its neighbour to own", &block09, "pad_high 4, extent 11", DAP_ERR_DIM,
     "axis 0|communication padding[1] 4|more than 3", 10},
    {"the only list has not all", &listed, "procs 1, rank 0", DAP_ERR_DIM,
     "axis 0|only process|3 indices|size 8", 17},
    {"an empty first one is anywhere", &pair, "start 4, stop 4, extent 0", IS_LEGAL},
    {"nothing to distribute", &only, "size 0, stop 0, extent 0", IS_LEGAL},
    {"0.9: padding that nobody lies below to own", &block09,
     "start 0, stop 9, pad_low 5, pad_high 0, extent 14", DAP_ERR_DIM, "axis 0|padding[0] 5|0", 10},
    {"0.9: padding that wraps round may be wider than the section", &round09,
     "stop 2, pad_low 8, pad_high 2, extent 12", IS_LEGAL},
    {"one of two unstructured ones has not all", &listed, "indices 0 1 2 3, extent 4, size 10", IS_LEGAL},
    {"more indices than the buffer has elements: none of them is read", &listed, "index_count 1000000",
     DAP_ERR_BUFFER, "axis 0|3|1000000", 4},
    {"0.9: padding that makes the extent overflow", &round09,
     "size 6917529027641081853, procs 1, stop 6917529027641081853, pad_low 6917529027641081853, pad_high "
     "6917529027641081853, extent 2",
     DAP_ERR_RANGE, "axis 0|2^63", 0},
    {"start + padding beyond 64 bits", &block, "pad_low max-1, pad_high 0", DAP_ERR_DIM,
     "axis 0|padding[0] 9223372036854775806", 10},
};

static const row dictionaries[] = {
    {"0.9: communication padding lies outside", &block09, "", IS_LEGAL},
    {"0.0.1: so it does", &block09, "version 0.0.1", IS_LEGAL},
    {"0.10: it lies inside", &block09, "version 0.10.0", DAP_ERR_BUFFER,
     "axis 0|extent 8|plus the communication padding|0.10.*|include", 8},
    {"0.9: a buffer without it", &block09, "extent 6", DAP_ERR_BUFFER, "axis 0|extent 6|0.9.*|exclude", 8},
    {"0.0.1: a buffer without it", &block09, "version 0.0.1, extent 6", DAP_ERR_BUFFER,
     "axis 0|extent 6|0.0.1|exclude", 8},
    {"0.9: a buffer that nothing explains", &block09, "extent 7", DAP_ERR_BUFFER, "axis 0|extent 7|= 8", 4},
    {"0.9: padding wider than what is left for its neighbour to own", &block09, "pad_low 12, extent 19",
     DAP_ERR_DIM, "axis 0|padding[0] 12|more than 3", 10},
    {"0.9: padding that wraps round further than the range", &round09, "pad_low 8, extent 13", IS_LEGAL},
    {"0.9: padding wider than the dimension", &block09, "pad_high 13, extent 20", DAP_ERR_DIM,
     "axis 0|padding[1] 13|size 12", 10},
    {"0.9: padding of 'n' counts", &undistributed09, "pad_low 7", DAP_ERR_DIM, "axis 0|padding[0] 7", 10},
    {"0.0.1: it does not", &undistributed09, "version 0.0.1, pad_low 7", IS_LEGAL},
    {"0.9: negative padding", &block09, "pad_low -1", DAP_ERR_DIM, "axis 0|padding[0] -1", 10},
    {"0.9: outer padding is inside the range", &edge09, "", IS_LEGAL},
    {"0.9: and cannot be wider than it", &edge09, "pad_high 5", DAP_ERR_DIM,
     "axis 0|padding[1] 5|stop - start = 4", 10},
    {"0.9: outer padding counted once more", &edge09, "extent 7", DAP_ERR_BUFFER, "axis 0|extent 7|= 5", 4},
    {"0.9: periodic, the outer padding is outside", &round09, "", IS_LEGAL},
    {"0.0.1: periodic, the outer padding is outside", &round09, "version 0.0.1", IS_LEGAL},
    {"0.9: not periodic, the outer padding is inside", &round09, "periodic 0", DAP_ERR_BUFFER,
     "axis 0|extent 6|= 5", 4},
    {"0.10: periodic or not, the outer padding is inside", &round09, "version 0.10.0, extent 4", IS_LEGAL},
    {"0.9: all of a periodic dimension, which wraps round", &round09, "procs 1, stop 12, extent 14",
     IS_LEGAL},
    {"0.9: empty, without padding", &block09, "stop 3, pad_low 0, pad_high 0, extent 0", IS_LEGAL},
    {"0.9: stop before start", &block09, "stop 2", DAP_ERR_DIM, "axis 0|stop 2|start 3", 8},
    {"0.0.1: stop behind size", &block09, "version 0.0.1, stop 13", DAP_ERR_DIM, "axis 0|stop 13|12", 8},
    {"0.9: undistributed, without grid or range", &undistributed09, "", IS_LEGAL},
    {"0.9: undistributed, with a grid and a range that count for nothing", &undistributed09,
     "procs 3, rank 7, start 5, stop -5", IS_LEGAL},
    {"0.9: undistributed, with boundary padding", &undistributed09, "pad_low 2, pad_high 4", IS_LEGAL},
    {"0.9: undistributed, with more padding than size", &undistributed09, "pad_low 3, pad_high 4",
     DAP_ERR_DIM, "axis 0|padding (3, 4)|6", 10},
    {"0.9: undistributed, periodic, with padding that wraps round", &undistributed09,
     "periodic 1, pad_low 1, pad_high 2, extent 9", IS_LEGAL},
    {"0.0.1: undistributed, which has no padding", &undistributed09, "version 0.0.1, periodic 1, pad_low 1",
     IS_LEGAL},
    {"0.9: undistributed, of no size", &undistributed09, "size absent", DAP_ERR_DIM, "axis 0|size|absent", 1},
    {"0.9: undistributed, of another size than the buffer", &undistributed09, "size 7", DAP_ERR_BUFFER,
     "axis 0|extent 6|7", 4},
    {"0.10: undistributed is the empty dictionary", &undistributed09, "version 0.10.0", DAP_ERR_DIM,
     "axis 0|'n'|0.10.*", 1},
    {"0.10: which needs a buffer of any extent", &undistributed09, "version 0.10.0, type {}, extent 41",
     IS_LEGAL},
    {"0.9: it has no empty dictionary", &undistributed09, "type {}", DAP_ERR_DIM, "axis 0|byte 0|0.9.*", 1},
    {"0.0.1: neither has it", &undistributed09, "version 0.0.1, type {}", DAP_ERR_DIM, "axis 0|byte 0|0.0.1",
     1},
    {"0.9: 'c'", &cyclic, "version 0.9.0", IS_LEGAL},
    {"0.0.1: 'c' and 'bc'", &cyclic, "version 0.0.1", IS_LEGAL},
    {"0.9: 'c' without block_size is of 1", &cyclic, "version 0.9.0, block_size absent, extent 3", IS_LEGAL},
    {"0.0.1: 'u'", &listed, "version 0.0.1", IS_LEGAL},
    {"0.0.1: an index twice", &listed, "version 0.0.1, indices 1 7 1", DAP_ERR_DIM, "axis 0|1 twice", 17},
};

ROWS(alone)
ROWS(dictionaries)

/* Makes an array that only 0.9 can describe. The error must stay unchanged, even though 0.10 could not
 * describe the array. */
static void errors_stay_as_they_were(void **state)
{
  (void)state;
  dap_dist dist = dap_dist_padded(6, 2, 1);
  dap_layout *layout = NULL;
  dap_array array = {0};
  dap_error err = {.rank = 5, .rule = 7, .text = "as it was"};
  dist.periodic = dist.wraps = true;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&array, layout, 1, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT(!strcmp(array.version, "0.9.0"));
  EXPECT(err.rank == 5 && err.rule == 7 && !strcmp(err.text, "as it was"));
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_alone),
    cmocka_unit_test(check_dictionaries),
    cmocka_unit_test(errors_stay_as_they_were),
};

MPI_TEST_MAIN(tests)
