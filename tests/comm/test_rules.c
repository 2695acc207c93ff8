/* Tests all rules of the protocol: runs the tables and tests of each, and checks that every rule has some. */
#include "test_rules.h"

static const rule_table *const tables[] = {&rules_of_keys, &rules_of_block, &rules_of_cyclic, &rules_of_lists,
                                           &rules_of_use};

static void check_table(const rule_table *table)
{
  for (size_t i = 0; i < table->row_count; i++) check_rule_row(&table->rows[i]);
  for (size_t i = 0; i < table->test_count; i++) {
    TEST_CASE("rule %d: %s", table->tests[i].rule, table->tests[i].name);
    table->tests[i].run();
    SETTLE();
  }
}

static void every_row_and_test(void **state)
{
  (void)state;
  for (size_t t = 0; t < RULE_COUNT(tables); t++) check_table(tables[t]);
}

/* ---- completeness -------------------------------------------------------------------------------- */

/* Rules that an array can break so that the error names them. Other rules only determine the meaning of
 * legal arrays, or are broken in calls that have their own tests. */
static const bool can_be_broken[DAP_RULES + 1] = {
    [1] = true,  [2] = true,  [4] = true,  [5] = true,  [6] = true,  [7] = true,  [8] = true,  [9] = true,
    [10] = true, [13] = true, [14] = true, [15] = true, [17] = true, [18] = true, [20] = true,
};

static void every_rule_is_shown(void **state)
{
  (void)state;
  int shown[DAP_RULES + 1] = {0}, refused[DAP_RULES + 1] = {0}, culprits[FOUR] = {0};
  for (size_t t = 0; t < RULE_COUNT(tables); t++) {
    for (size_t i = 0; i < tables[t]->row_count; i++) {
      const rule_row *row = &tables[t]->rows[i];
      if (!EXPECT_MSG(row->rule >= 1 && row->rule <= DAP_RULES, "%s shows no rule", row->name)) continue;
      shown[row->rule]++;
      refused[row->rule] += row->want && !row->broken;
      for (int rank = 0; rank < FOUR && row->want; rank++)
        culprits[rank] += row->who == rank || row->who == EACH;
    }
    for (size_t i = 0; i < tables[t]->test_count; i++) shown[tables[t]->tests[i].rule]++;
  }
  for (int rule = 1; rule <= DAP_RULES; rule++) {
    EXPECT_MSG(shown[rule] > 0, "rule %d has neither a row nor a test", rule);
    EXPECT_MSG((refused[rule] > 0) == can_be_broken[rule], "rule %d is broken by %d rows", rule,
               refused[rule]);
  }
  for (int rank = 0; rank < FOUR; rank++)
    EXPECT_MSG(culprits[rank] >= 20, "rank %d is wrong in %d rows only", rank, culprits[rank]);
  SETTLE();
}

/* Checks that the bases are valid without a change. */
static void bases_are_right(void **state)
{
  (void)state;
  for (rule_base base = PADDED; base < RULE_BASES; base++) {
    const rule_row row = {.name = "a base as it is", .base = base, .who = EVERY, .changes = ""};
    check_rule_row(&row);
  }
}

/* Frees the communicator after all other tests; its context ends with it. */
static void they_end(void **state)
{
  (void)state;
  rules_end();
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_rule_is_shown),
    cmocka_unit_test(bases_are_right),
    cmocka_unit_test(every_row_and_test),
    cmocka_unit_test(they_end),
};

MPI_TEST_MAIN(tests)
