/* Tests texts that dap_layout_parse() must refuse. */
#include "mpi_test.h"

#include <dapbridge/parse.h>

static const struct {
  const char *why, *text;
  dap_status want;
  int column, rule;
  const char *parts;
} rows[] = {
    {"nothing", "", DAP_ERR_ARG, 1, 0, "a size or 'scalar'|missing at the end"},
    {"blanks", " \n ", DAP_ERR_ARG, 4, 0, "a size|missing"},
    {"no size", "b", DAP_ERR_ARG, 1, 0, "a size|'b'"},
    {"a negative size", "4x-3", DAP_ERR_ARG, 3, 0, "a number|'-'"},
    {"a size that is a fraction", "4.5", DAP_ERR_ARG, 2, 0, "'on'|'.'"},
    {"a size that is hexadecimal", "0xff", DAP_ERR_ARG, 3, 0, "a number|'ff'"},
    {"a size beyond all", "9223372036854775808", DAP_ERR_RANGE, 1, 0, "9223372036854775808|2^63 - 1"},
    {"one of many digits", "3x99999999999999999999999999999999", DAP_ERR_RANGE, 3, 0, "999999|2^63 - 1"},
    {"too many axes", "1x1x1x1x1x1x1x1x1", DAP_ERR_ARG, 17, 0, "more than 8 sizes"},
    {"too many elements", "9223372036854775807x2", DAP_ERR_RANGE, 1, 0, "axis 1|2^63 - 1 elements"},
    {"no grid behind on", "4 on", DAP_ERR_ARG, 5, 0, "a number|missing"},
    {"a grid of another number of axes", "4x4 on 2: b, b", DAP_ERR_ARG, 5, 0, "grid has 1|array 2"},
    {"no process", "4x4 on 2x0", DAP_ERR_DIM, 10, 0, "axis 1|0 processes"},
    {"too many processes", "4 on 1048577: c", DAP_ERR_RANGE, 6, 0, "axis 0|1048577 processes|1048576"},
    {"too many together", "4x4 on 65536x65536: c, c", DAP_ERR_RANGE, 14, 0, "axis 1|4294967296"},
    {"a word that is longer", "4 onto 2", DAP_ERR_ARG, 3, 0, "'onto'"},
    {"no such distribution", "4 on 2: q", DAP_ERR_ARG, 9, 0, "axis 0|b, c, u, r, p or n|'q'"},
    {"a capital", "4 on 2: B", DAP_ERR_ARG, 9, 0, "axis 0|'B'"},
    {"none behind a colon", "4 on 2:", DAP_ERR_ARG, 8, 0, "axis 0|missing"},
    {"fewer distributions than axes", "4x4 on 2x2: b", DAP_ERR_ARG, 14, 0, "axis 1|','|missing"},
    {"more distributions than axes", "4 on 2: b, b", DAP_ERR_ARG, 10, 0, "the end|','"},
    {"a second layout", "4 on 2: b 5", DAP_ERR_ARG, 11, 0, "the end|'5'"},
    {"something behind a scalar", "scalar x", DAP_ERR_ARG, 8, 0, "the end|'x'"},
    {"no lengths", "4: b[]", DAP_ERR_ARG, 5, 0, "axis 0|no lengths"},
    {"lengths that do not end", "4: b[1,3", DAP_ERR_ARG, 9, 0, "axis 0|']'|missing"},
    {"a comma too many", "4: b[1,3,]", DAP_ERR_ARG, 10, 0, "axis 0|a number|']'"},
    {"a comma before all", "4: b[,4]", DAP_ERR_ARG, 6, 0, "axis 0|a number|','"},
    {"a ghost of a length", "4: b[1,~3]", DAP_ERR_ARG, 8, 0, "axis 0|a number|'~'"},
    {"lengths of another size", "4: b[1,2]", DAP_ERR_DIM, 4, 0, "axis 0|lengths|3|size 4"},
    {"lengths beyond the size", "4 on 2: b[3,3]", DAP_ERR_DIM, 9, 0, "axis 0|lengths[1] 3|1|4"},
    {"lengths for another grid", "4x4 on 2x3: b, b[1,3]", DAP_ERR_DIM, 16, 0, "axis 1|2 processes|3"},
    {"lengths twice", "4: b[1,3](ceil)", DAP_ERR_ARG, 11, 0, "axis 0|'ceil'|again"},
    {"lengths that were left out", "12 over 10: block(lengths 2 2 1 1 1 1 1 1 ...)", DAP_ERR_ARG, 43, 0,
     "axis 0|'...'|needed"},
    {"a block size of blocks", "4 on 2: b(3)", DAP_ERR_ARG, 11, 0, "axis 0|ceil, lengths|'3'"},
    {"parentheses that do not end", "4 on 2: b(halo 1", DAP_ERR_ARG, 17, 0, "axis 0|')'|missing"},
    {"empty parentheses", "4 on 2: b()", DAP_ERR_ARG, 11, 0, "axis 0|')'"},
    {"a halo of no width", "4 on 2: b(halo)", DAP_ERR_ARG, 15, 0, "axis 0|a number|')'"},
    {"a halo twice", "4 on 2: b(halo 1, halo 1)", DAP_ERR_ARG, 19, 0, "axis 0|'halo'|again"},
    {"a halo that is too wide", "7 x 9 on 1x3: n, b(halo 4)", DAP_ERR_DIM, 18, 10, "axis 1|padding 4|3"},
    {"widths for other interfaces", "9 on 4: b(halo 1 1)", DAP_ERR_DIM, 9, 0,
     "axis 0|2 halo widths|3 interfaces"},
    {"an overflowing halo", "9 on 1: b(outer halo 9223372036854775807, periodic)", DAP_ERR_RANGE, 9, 0,
     "axis 0|2^63"},
    {"what wraps round without a ring", "9 on 3: b(halo 1, wraps)", DAP_ERR_DIM, 9, 0, "axis 0|not periodic"},
    {"what wraps round without a halo", "9 on 3: b(wraps, periodic)", DAP_ERR_ARG, 9, 0,
     "axis 0|'wraps' needs"},
    {"what wraps round in two widths", "9 on 3: b(halo 1 2, wraps, periodic)", DAP_ERR_ARG, 9, 0,
     "axis 0|'wraps' needs a halo of one width, and 2 differs from 1"},
    {"what wraps round, and an edge", "9 on 3: b(outer halo 1, periodic, boundary 0 2)", DAP_ERR_DIM, 9, 0,
     "axis 0|(0, 2)"},
    {"what wraps round further than the other end", "7: b[4,2,1](halo 1, outer halo 2, periodic)",
     DAP_ERR_DIM, 4, 9, "axis 0|padding[0] 2|1"},
    {"a boundary that is too wide", "9 on 3: b(boundary 4 0)", DAP_ERR_DIM, 9, 10, "axis 0|(4, 0)|3"},
    {"a boundary wider than all", "9 on 3: b(boundary 10 0)", DAP_ERR_DIM, 9, 0, "axis 0|(10, 0)|9"},
    {"a block size of 0", "9 on 3: c(0)", DAP_ERR_DIM, 9, 0, "axis 0|block_size 0"},
    {"a block size twice", "9 on 3: c(1, 2)", DAP_ERR_ARG, 14, 0, "axis 0|block size|again"},
    {"a first owner beyond the grid", "9 on 3: c(2, first 3)", DAP_ERR_DIM, 9, 0, "axis 0|first_owner 3|2"},
    {"one beyond all grids", "9 on 3: c(2, first 5000000000)", DAP_ERR_DIM, 9, 0, "axis 0|5000000000"},
    {"a halo of a cyclic axis", "9 on 3: c(2, halo 1)", DAP_ERR_ARG, 14, 0, "axis 0|'halo'"},
    {"no lists", "6 over 3: unstructured", DAP_ERR_ARG, 23, 0, "axis 0|indices|missing"},
    {"words for lists", "6 over 3: unstructured(ghosts)", DAP_ERR_ARG, 23, 0, "axis 0|indices|'('"},
    {"lists that are not known", "3 on 2: u[0,1][?]", DAP_ERR_ARG, 16, 0, "axis 0|a number|'?'"},
    {"lists for another grid", "3 on 2: u[0][1][2]", DAP_ERR_DIM, 9, 0, "axis 0|3 processes|2"},
    {"an index on no process", "4: u[0,1][2,1]", DAP_ERR_DIM, 4, 17, "axis 0|index 3"},
    {"an index outside", "3: u[0,1][2,3]", DAP_ERR_DIM, 4, 17, "axis 0|3"},
    {"an index twice in a list", "3: u[0,1,0][2]", DAP_ERR_DIM, 4, 17, "axis 0|0 twice"},
    {"one to one, but one is on two", "3: u[0,1][2,1](one to one)", DAP_ERR_DIM, 4, 18,
     "axis 0|1|one_to_one"},
    {"ghosts of nobody", "3: u[0,~1][2]", DAP_ERR_DIM, 4, 17, "axis 0|index 1"},
    {"a huge axis of few indices", "9223372036854775807: u[0]", DAP_ERR_DIM, 22, 17, "axis 0|1 indices"},
    {"an axis that is not distributed on two", "4 on 2: n", DAP_ERR_DIM, 9, 0, "axis 0|1 process|2"},
    {"ranks of another number", "4 on 3; ranks 0 1", DAP_ERR_ARG, 15, 0, "2 ranks|3 processes"},
    {"ranks that were left out", "4 on 3; ranks 0 ...", DAP_ERR_ARG, 17, 0, "the end|'...'"},
    {"a rank twice", "4 on 3; ranks 0 1 1", DAP_ERR_ARG, 15, 0, "ranks[2]|1"},
    {"a rank outside", "4 on 3; ranks 0 1 3", DAP_ERR_ARG, 15, 0, "ranks[2]|3"},
    {"a rank beyond int", "4 on 3; ranks 0 1 4294967298", DAP_ERR_ARG, 15, 0, "ranks[2]"},
    {"no ranks", "4 on 3; order 0 1 2", DAP_ERR_ARG, 9, 0, "'ranks'|'order'"},
    {"other signs", "4 on 3: \xc3\x97", DAP_ERR_ARG, 9, 0, "axis 0|'\xc3\x97'"},
    {"a control character", "4 on 3: \x01", DAP_ERR_ARG, 9, 0, "axis 0|'?'"},
};

static void others_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_layout *layout = (dap_layout *)&layout;
    dap_error err = {0};
    char place[32];
    TEST_CASE("%s: %s", rows[i].why, rows[i].text);
    EXPECT_FAIL(dap_layout_parse(rows[i].text, &layout, &err), rows[i].want, &err, rows[i].parts);
    snprintf(place, sizeof place, "column %d: ", rows[i].column);
    EXPECT_MSG(!strncmp(err.text, place, strlen(place)), "%s", err.text);
    EXPECT(!layout && err.rank == -1 && err.rule == rows[i].rule);
    EXPECT_STATUS(dap_layout_parse(rows[i].text, &layout, NULL), rows[i].want, NULL);
  }
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_FAIL(dap_layout_parse(NULL, &layout, &err), DAP_ERR_ARG, &err, "text|NULL");
  EXPECT_FAIL(dap_layout_parse("4", NULL, &err), DAP_ERR_ARG, &err, "layout|NULL");
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(others_are_refused),
};

MPI_TEST_MAIN(tests)
