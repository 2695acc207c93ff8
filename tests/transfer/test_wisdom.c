/* options.wisdom: the file that keeps in which way plans are carried. Written by the first that needs it,
 * read by the next, which measures nothing; damaged ones are refused and left alone. */
#define _POSIX_C_SOURCE 200809L
#include "mpi_test.h"
#include "row_move.h"

#include "transfer_impl.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 8192 };

/* ---- a folder of the test's own ----------------------------------------------------------------------- */

static char folder[256], path[300];

static int enter(void **state)
{
  (void)state;
  const char *where = getenv("TMPDIR");
  if (test_rank() == 0) {
    (void)snprintf(folder, sizeof folder, "%s/dap_wisdom.XXXXXX",
                   where && strlen(where) < 200 ? where : "/tmp");
    if (!mkdtemp(folder)) folder[0] = '\0';
  }
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  (void)snprintf(path, sizeof path, "%s/wisdom", folder);
  return folder[0] ? 0 : 1;
}

static int leave(void **state)
{
  (void)state;
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank() == 0) {
    (void)remove(path);
    if (rmdir(folder)) return 1; /* something was left beside the file */
  }
  return 0;
}

/* The whole file, on the first process; elsewhere, or if there is none, no text. */
static void read_text(char text[TEXT])
{
  text[0] = '\0';
  FILE *file = test_rank() == 0 ? fopen(path, "r") : NULL;
  if (!file) return;
  text[fread(text, 1, TEXT - 1, file)] = '\0';
  (void)fclose(file);
}

static void write_text(const char *text, size_t length)
{
  if (test_rank() == 0) {
    FILE *file = fopen(path, "w");
    EXPECT(file && fwrite(text, 1, length, file) == length);
    if (file) (void)fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static int count_lines(const char *text)
{
  int count = 0;
  for (; *text; text++) count += *text == '\n';
  return count;
}

/* ---- plans -------------------------------------------------------------------------------------------- */

/* A plan that is made, and how it came to its way. */
static void make_good(int64_t size, int64_t block, bool is_known)
{
  const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = path};
  char text[TEXT];
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(row_plan(size, block, &o, &plan, &err), &err)) return;
  EXPECT(plan->measurement && plan->measurement->is_known == is_known);
  (void)dap_plan_describe(plan, text, sizeof text);
  EXPECT_MSG((strstr(text, "carried as the wisdom file says: ") != NULL) == is_known, "%s", text);
  EXPECT_MSG((strstr(text, ": measured ") != NULL) == !is_known, "%s", text);
  dap_plan_destroy(&plan);
}

static void expect_error(dap_status want, const char *parts)
{
  const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = path};
  dap_plan *plan = NULL;
  dap_error err = {0};
  expect_same_error(MPI_COMM_WORLD, row_plan(40, 1, &o, &plan, &err), &err, want, parts);
  EXPECT(plan == NULL);
}

/* ---- written and read --------------------------------------------------------------------------------- */

static void what_is_found_is_kept(void **state)
{
  (void)state;
  static char first[TEXT], second[TEXT], third[TEXT];
  make_good(40, 1, false);
  read_text(first);
  make_good(40, 1, true);
  read_text(second);
  EXPECT_MSG(!strcmp(first, second), "changed by a plan that it knows: %s", second);
  make_good(50, 1, false);
  make_good(40, 3, false);
  make_good(50, 1, true);
  make_good(40, 1, true);
  read_text(third);
  if (test_rank() == 0) {
    EXPECT_MSG(!strncmp(first, "dapbridge wisdom 1\n", 19) && count_lines(first) == 2, "%s", first);
    EXPECT_MSG(!strncmp(third, first, strlen(first)) && count_lines(third) == 4, "%s", third);
  }
  SETTLE();
}

/* With an entry by hand for each way: that is how the plan is carried. */
static void the_entry_says_how(void **state)
{
  (void)state;
  static char text[TEXT];
  make_good(40, 1, false);
  read_text(text);
  MPI_Bcast(text, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (const dap_way *way = dap_ways; way->name; way++) {
    char entry[200], key[17] = "";
    const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = path};
    dap_plan *plan = NULL;
    dap_error err = {0};
    memcpy(key, strchr(text, '\n') + 1, 16);
    (void)snprintf(entry, sizeof entry, "dapbridge wisdom 1\n%s 5 %s\n", key, way->name);
    write_text(entry, strlen(entry));
    TEST_CASE("%s", entry);
    if (EXPECT_OK(row_plan(40, 1, &o, &plan, &err), &err)) EXPECT(plan->schedule.way == way);
    dap_plan_destroy(&plan);
    SETTLE();
  }
}

/* Another plan, other options, other strides: none of them is the plan that is known. */
static void others_are_not_known(void **state)
{
  (void)state;
  static char text[TEXT];
  static const dap_plan_options others[] = {{.message_bytes = 4096},
                                            {.memory_bytes = 1 << 20},
                                            {.transports = DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES},
                                            {.arrays = 2}};
  make_good(40, 1, false);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    dap_plan_options o = others[i];
    dap_plan *plan = NULL;
    dap_error err = {0};
    o.effort = DAP_PLAN_MEASURE;
    o.wisdom = path;
    EXPECT_OK(row_plan(40, 1, &o, &plan, &err), &err);
    EXPECT(plan && !plan->measurement->is_known);
    dap_plan_destroy(&plan);
  }
  read_text(text);
  if (test_rank() == 0) EXPECT_INT(count_lines(text), 6);
  SETTLE();
}

/* The same elements in buffers of another order. */
static void strides_count(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist rows[] = {dap_dist_even(8 * n, n), dap_dist_local(6)};
  const dap_dist to[] = {dap_dist_cyclic(8 * n, n, 1), dap_dist_local(6)};
  const int64_t by_rows[] = {48, 8}, by_columns[] = {8, 64};
  const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = path};
  dap_layout *a = NULL, *b = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, rows, &a, &err), &err);
  EXPECT_OK(dap_layout_create(2, to, &b, &err), &err);
  for (int turn = 0; turn < 4; turn++) {
    /* in the second two turns on one process only */
    const bool turned = turn == 1 || (turn == 2 && test_rank() == n - 1);
    const dap_side source = {.layout = a, .strides = turned ? by_columns : by_rows},
                   target = {.layout = b, .contiguous = true};
    dap_plan *plan = NULL;
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &source, &target, 8, &o, &plan, &err), &err);
    const bool is_known = turn == 3 || (turn == 2 && n == 1);
    EXPECT_MSG(plan && plan->measurement->is_known == is_known, "turn %d", turn);
    dap_plan_destroy(&plan);
  }
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  SETTLE();
}

/* ---- whose file it is ---------------------------------------------------------------------------------- */

static void the_lowest_rank_with_a_path_counts(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  dap_plan *plan = NULL;
  dap_error err = {0};
  for (int turn = 0; turn < 2; turn++) {
    const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = test_rank() == last ? path : NULL};
    EXPECT_OK(row_plan(40, 1, &o, &plan, &err), &err);
    EXPECT(plan && plan->measurement->is_known == (turn == 1));
    dap_plan_destroy(&plan);
  }
  const dap_plan_options o = {.effort = DAP_PLAN_MEASURE,
                              .wisdom = test_rank() == 0 ? path : "/nowhere/that/is/looked/at"};
  EXPECT_OK(row_plan(40, 1, &o, &plan, &err), &err);
  EXPECT(plan && plan->measurement->is_known);
  dap_plan_destroy(&plan);
  SETTLE();
}

/* Each process by itself, at the same time: some entries may be lost, but what is there is whole. */
static void programs_share_it(void **state)
{
  (void)state;
  const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = path};
  for (int i = 0; i < 50; i++) {
    const dap_dist dist = dap_dist_local(1000 * test_rank() + i);
    dap_layout *layout = NULL;
    dap_plan *plan = NULL;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
    const dap_side side = {.layout = layout, .contiguous = true};
    EXPECT_OK(dap_plan_create(MPI_COMM_SELF, &side, &side, 8, &o, &plan, &err), &err);
    dap_plan_destroy(&plan);
    dap_layout_destroy(&layout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  make_good(40, 1, false);
  make_good(40, 1, true);
  SETTLE();
}

/* Without measuring there is nothing to be kept. */
static void an_estimate_needs_no_file(void **state)
{
  (void)state;
  const dap_plan_options o = {.wisdom = path};
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(row_plan(40, 1, &o, &plan, &err), &err);
  EXPECT(plan && !plan->measurement && access(path, F_OK) != 0);
  dap_plan_destroy(&plan);
  SETTLE();
}

/* ---- what is wrong with it ---------------------------------------------------------------------------- */

#define FIRST "dapbridge wisdom 1\n"
#define TEXT_OF(text) text, sizeof(text) - 1

static const struct {
  const char *why, *text;
  size_t length;
  dap_status status;
  const char *parts;
} rows[] = {
    {"another kind of file", TEXT_OF("#include <stdio.h>\n"), DAP_ERR_ARG, "line 1: |dapbridge wisdom"},
    {"bytes", TEXT_OF("\177ELF\0\0\0\1"), DAP_ERR_ARG, "line 1: |dapbridge wisdom"},
    {"another format", TEXT_OF("dapbridge wisdom 2\nwhat that has"), DAP_ERR_UNSUPPORTED,
     "line 1: |format 2|has format 1"},
    {"a longer number", TEXT_OF("dapbridge wisdom 10\n"), DAP_ERR_UNSUPPORTED, "format 10"},
    {"cut off in the first line", TEXT_OF("dapbridge wisdom 1"), DAP_ERR_ARG, "line 1: |no end|damaged"},
    {"cut off in an entry", TEXT_OF(FIRST "0123456789abcdef 5 as estimated\n0123456789abcdef 5 slots onl"),
     DAP_ERR_ARG, "line 3: |no end|damaged"},
    {"a key that is too short", TEXT_OF(FIRST "0123456789abcde 5 as estimated\n"), DAP_ERR_ARG,
     "line 2: |16 digits"},
    {"a key that is too long", TEXT_OF(FIRST "0123456789abcdef0 5 as estimated\n"), DAP_ERR_ARG,
     "line 2: |16 digits"},
    {"no key", TEXT_OF(FIRST "as estimated\n"), DAP_ERR_ARG, "line 2: |16 digits"},
    {"no time", TEXT_OF(FIRST "0123456789abcdef as estimated\n"), DAP_ERR_ARG, "line 2: |nanoseconds"},
    {"a negative time", TEXT_OF(FIRST "0123456789abcdef -5 as estimated\n"), DAP_ERR_ARG,
     "line 2: |nanoseconds"},
    {"a way that there is not", TEXT_OF(FIRST "0123456789abcdef 5 on foot\n"), DAP_ERR_ARG,
     "line 2: |names no way"},
    {"a way and more", TEXT_OF(FIRST "0123456789abcdef 5 slots only \n"), DAP_ERR_ARG,
     "line 2: |names no way"},
    {"an empty line", TEXT_OF(FIRST "\n"), DAP_ERR_ARG, "line 2: |16 digits"},
    {"a zero byte", TEXT_OF(FIRST "0123456789abcdef 5 \0as estimated\n"), DAP_ERR_ARG, "line 2: |no end"},
    {"a long line",
     TEXT_OF(FIRST "0123456789abcdef 5 0123456789012345678901234567890123456789012345678901234567"
                   "89012345678901234567890123456789012345678901234567890123456789\n"),
     DAP_ERR_ARG, "line 2: |more than a line has"},
};

/* It may be somebody's, so it stays as it is. */
static void damaged_files_are_refused(void **state)
{
  (void)state;
  static char text[TEXT];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    write_text(rows[i].text, rows[i].length);
    expect_error(rows[i].status, rows[i].parts);
    expect_error(rows[i].status, path);
    read_text(text);
    EXPECT(test_rank() > 0 || !memcmp(text, rows[i].text, rows[i].length + 1));
    SETTLE();
  }
}

/* A file without a byte has no entries. */
static void an_empty_file_is_filled(void **state)
{
  (void)state;
  write_text("", 0);
  make_good(40, 1, false);
  make_good(40, 1, true);
  SETTLE();
}

/* The entry is somebody's by hand: what the options exclude is not done. */
static void options_come_first(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  static char text[TEXT];
  const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = path, .transports = DAP_TRANSPORT_STAGED};
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(row_plan(40, 1, &o, &plan, &err), &err);
  dap_plan_destroy(&plan);
  read_text(text);
  char entry[200], key[17] = "";
  if (test_rank() == 0) memcpy(key, strchr(text, '\n') + 1, 16);
  (void)snprintf(entry, sizeof entry, FIRST "%s 5 MPI messages of 512 KiB\n", key);
  write_text(entry, strlen(entry));
  expect_same_error(MPI_COMM_WORLD, row_plan(40, 1, &o, &plan, &err), &err, DAP_ERR_ARG,
                    "MPI messages of 512 KiB|exclude");
  EXPECT(plan == NULL);
  SETTLE();
}

static void files_that_the_system_refuses(void **state)
{
  (void)state;
  static const char *const names[] = {"/nowhere/wisdom", "/dev/null/wisdom", "/tmp", ""};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = names[i]};
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("\"%s\"", names[i]);
    expect_same_error(MPI_COMM_WORLD, row_plan(40, 1, &o, &plan, &err), &err, DAP_ERR_LIBRARY,
                      "options.wisdom |cannot be ");
    EXPECT(plan == NULL);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_is_found_is_kept, enter, leave),
    cmocka_unit_test_setup_teardown(the_entry_says_how, enter, leave),
    cmocka_unit_test_setup_teardown(others_are_not_known, enter, leave),
    cmocka_unit_test_setup_teardown(strides_count, enter, leave),
    cmocka_unit_test_setup_teardown(the_lowest_rank_with_a_path_counts, enter, leave),
    cmocka_unit_test_setup_teardown(programs_share_it, enter, leave),
    cmocka_unit_test_setup_teardown(an_estimate_needs_no_file, enter, leave),
    cmocka_unit_test_setup_teardown(damaged_files_are_refused, enter, leave),
    cmocka_unit_test_setup_teardown(an_empty_file_is_filled, enter, leave),
    cmocka_unit_test_setup_teardown(options_come_first, enter, leave),
    cmocka_unit_test(files_that_the_system_refuses),
};
MPI_TEST_MAIN(tests)
