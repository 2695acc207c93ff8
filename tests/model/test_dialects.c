/* Tests the versions of the protocol: their tables, and the texts of rules. */
#include "mpi_test.h"

#include <dapbridge/dialect.h>
#include <dapbridge/rules.h>
#include <limits.h>

static void versions_are_found(void **state)
{
  (void)state;
  static const struct {
    const char *version, *exported; /* NULL: unknown */
  } rows[] = {
      {"0.10.0", "0.10.0"}, {"0.10.1", "0.10.0"}, {"0.10.12", "0.10.0"}, {"0.9.0", "0.9.0"},
      {"0.9.1", "0.9.0"},   {"0.9.0a1", "0.9.0"}, {"0.0.1", "0.0.1"},    {"0.0.10", NULL},
      {"0.0.1.0", NULL},    {"0.0.2", NULL},      {"0.10", NULL},        {"0.10.", NULL},
      {"0.10.x", NULL},     {"0.9", NULL},        {"0.9.", NULL},        {"0.90.0", NULL},
      {"0.100.0", NULL},    {"0.11.0", NULL},     {"1.0.0", NULL},       {"10.0.10.0", NULL},
      {" 0.9.0", NULL},     {"", NULL},           {"0.9.*", NULL},       {NULL, NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_dialect *dialect = dap_dialect_find(rows[i].version);
    TEST_CASE("version %s", rows[i].version ? rows[i].version : "NULL");
    EXPECT(!dialect == !rows[i].exported);
    if (dialect && rows[i].exported) EXPECT(!strcmp(dialect->exported, rows[i].exported));
  }
  SETTLE();
}

/* A version that an error quotes must not look like another line of a log. */
static void errors_are_one_line(void **state)
{
  (void)state;
  dap_error err = {0};
  EXPECT_INT(dap_fail_rule(&err, 2, DAP_ERR_VERSION, "__version__ '%s'", "1\n\x1b[2J\x7f"), DAP_ERR_VERSION);
  EXPECT_MSG(!strcmp(err.text, "__version__ '1 ?[2J?' (rule 2)"), "%s", err.text);
  SETTLE();
}

static bool is_same(const char *a, const char *b)
{
  return a && b ? !strcmp(a, b) : a == b;
}

static void expect_keys(const dap_keys *got, const char *const want[12])
{
  const char *const keys[] = {got->dim_data,       got->dist_type,  got->size,    got->proc_grid_size,
                              got->proc_grid_rank, got->start,      got->stop,    got->padding,
                              got->periodic,       got->block_size, got->indices, got->one_to_one};
  for (int i = 0; i < 12; i++)
    EXPECT_MSG(is_same(keys[i], want[i]), "key %d is %s, not %s", i, keys[i] ? keys[i] : "none",
               want[i] ? want[i] : "none");
}

static void dialects_are_as_documented(void **state)
{
  (void)state;
  static const struct {
    const char *version, *versions;
    bool is_tuple, has_empty, padding_inside, periodic_wraps;
    const char *keys[12];
  } rows[] = {
      {"0.10.0",
       "0.10.*",
       false,
       true,
       true,
       false,
       {"dim_data", "dist_type", "size", "proc_grid_size", "proc_grid_rank", "start", "stop", "padding",
        "periodic", "block_size", "indices", "one_to_one"}},
      {"0.9.0",
       "0.9.*",
       false,
       false,
       false,
       true,
       {"dim_data", "dist_type", "size", "proc_grid_size", "proc_grid_rank", "start", "stop", "padding",
        "periodic", "block_size", "indices", "one_to_one"}},
      {"0.0.1",
       "0.0.1",
       true,
       false,
       false,
       true,
       {"dimdata", "disttype", "datasize", "gridsize", "gridrank", "start", "stop", "padding", "periodic",
        "blocksize", "indices", NULL}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_dialect *d = dap_dialect_find(rows[i].version);
    TEST_CASE("%s", rows[i].version);
    if (!EXPECT(d != NULL)) continue;
    EXPECT(!strcmp(d->versions, rows[i].versions) && !strcmp(d->exported, rows[i].version));
    EXPECT(d->is_tuple == rows[i].is_tuple && d->has_empty == rows[i].has_empty);
    EXPECT(d->padding_inside == rows[i].padding_inside && d->periodic_wraps == rows[i].periodic_wraps);
    expect_keys(&d->keys, rows[i].keys);
  }
  SETTLE();
}

static void types_have_names(void **state)
{
  (void)state;
  static const struct {
    const char *version, *name;
    char type; /* 0: unknown */
    bool has_padding, has_block_size;
  } rows[] = {
      {"0.10.0", "b", 'b', true, false},  {"0.10.0", "c", 'c', false, true},
      {"0.10.0", "u", 'u', false, false}, {"0.10.0", "n", 0, false, false},
      {"0.10.0", NULL, 0, false, false},  {"0.10.0", "bp", 0, false, false},
      {"0.10.0", "B", 0, false, false},   {"0.10.0", "", 0, false, false},
      {"0.9.0", "n", 'n', true, false},   {"0.9.0", "b", 'b', true, false},
      {"0.9.0", "c", 'c', false, true},   {"0.9.0", "u", 'u', false, false},
      {"0.9.0", NULL, 0, false, false},   {"0.9.0", "bc", 0, false, false},
      {"0.0.1", NULL, 'n', false, false}, {"0.0.1", "b", 'b', false, false},
      {"0.0.1", "bp", 'b', true, false},  {"0.0.1", "c", 'c', false, false},
      {"0.0.1", "bc", 'c', false, true},  {"0.0.1", "u", 'u', false, false},
      {"0.0.1", "n", 0, false, false},    {"0.0.1", "None", 0, false, false},
      {"0.0.1", "bcp", 0, false, false},
  };
  int named = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_dist_name *type = dap_dialect_type(dap_dialect_find(rows[i].version), rows[i].name);
    TEST_CASE("%s in %s", rows[i].name ? rows[i].name : "None", rows[i].version);
    named += rows[i].type != 0;
    if (!EXPECT(!type == !rows[i].type) || !type) continue;
    EXPECT(is_same(type->name, rows[i].name) && type->dist_type == rows[i].type);
    EXPECT(type->has_padding == rows[i].has_padding && type->has_block_size == rows[i].has_block_size);
  }
  TEST_CASE("no dialect has more types than these");
  EXPECT_INT(named, dap_dialect_find("0.10.0")->name_count + dap_dialect_find("0.9.0")->name_count +
                        dap_dialect_find("0.0.1")->name_count);
  SETTLE();
}

/* A word of each rule's text, so that the test notices exchanged texts. */
static void rules_have_texts(void **state)
{
  (void)state;
  static const char *const words[DAP_RULES + 1] = {
      NULL,    "dialect",  "version",    "integers", "as many", "without axes", "communicator", "coordinate",
      "tiles", "periodic", "padding",    "empty",    "'n'",     "round robin",  "block 0",      "NUMROC",
      "HPF",   "indices",  "one_to_one", "strides",  "types",   "freeform",     "block size",   "same status",
  };
  for (int rule = 1; rule <= DAP_RULES; rule++) {
    const char *text = dap_rule_text(rule);
    const size_t length = strlen(text);
    TEST_CASE("rule %d", rule);
    EXPECT_MSG(strstr(text, words[rule]), "\"%s\" has no \"%s\"", text, words[rule]);
    EXPECT(length > 20 && text[length - 1] == '.' && !strchr(text, '\n'));
    for (int other = 1; other < rule; other++) EXPECT(strcmp(text, dap_rule_text(other)) != 0);
  }
  const int none[] = {0, -1, DAP_RULES + 1, INT_MIN, INT_MAX};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) EXPECT(!strcmp(dap_rule_text(none[i]), ""));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(versions_are_found),         cmocka_unit_test(errors_are_one_line),
    cmocka_unit_test(dialects_are_as_documented), cmocka_unit_test(types_have_names),
    cmocka_unit_test(rules_have_texts),
};

MPI_TEST_MAIN(tests)
