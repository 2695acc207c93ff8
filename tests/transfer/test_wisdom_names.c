/* The file that a wisdom file is first written to: beside it, under a name that nobody can guess, and new. So
 * who may write in the same folder, as in /tmp, cannot have something else written instead. */
#define _DEFAULT_SOURCE /* symlink() */
#include "mpi_test.h"

#include "transfer_impl.h"

#include <inttypes.h>
#include <unistd.h>

enum { KEPT = 16, PATH = 300 };

static char folder[PATH], wisdom[PATH], victim[PATH];

/* The system, as the library sees it. */
static struct {
  char names[KEPT][PATH]; /* of files that were opened to be written */
  int count;
  bool squats; /* somebody has put a link there before */
} seen;

/* The names are the linker's, see -Wl,--wrap. NOLINTBEGIN(bugprone-reserved-identifier) */
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

FILE *__wrap_fopen(const char *path, const char *mode)
{
  if (mode[0] == 'r') return __real_fopen(path, mode);
  EXPECT_MSG(!strcmp(mode, "wx"), "%s is opened by \"%s\": it need not be new", path, mode);
  if (EXPECT(seen.count < KEPT)) (void)snprintf(seen.names[seen.count++], PATH, "%s", path);
  if (seen.squats) EXPECT(!symlink(victim, path));
  return __real_fopen(path, mode);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int enter(void **state)
{
  (void)state;
  (void)snprintf(folder, sizeof folder, "/tmp/dap_wisdom_names.XXXXXX");
  if (!mkdtemp(folder)) return 1;
  (void)snprintf(wisdom, sizeof wisdom, "%.200s/wisdom", folder);
  (void)snprintf(victim, sizeof victim, "%.200s/victim", folder);
  memset(&seen, 0, sizeof seen);
  return 0;
}

static int leave(void **state)
{
  (void)state;
  (void)remove(wisdom);
  (void)remove(victim);
  return rmdir(folder); /* nothing else was left */
}

static dap_status add(uint64_t key, dap_error *err)
{
  return dap_wisdom_add(wisdom, key, &dap_ways[0], 5, err);
}

/* Neither half of the random bits is that of another name, nor beside it: by chance they are once in 10^7. */
static void compare(const char *a, const char *b)
{
  uint64_t bits[2];
  const size_t length = strlen(wisdom) + 1; /* and a dot */
  EXPECT(sscanf(a + length, "%16" SCNx64, &bits[0]) == 1 && strlen(a) == length + 16);
  EXPECT(sscanf(b + length, "%16" SCNx64, &bits[1]) == 1 && strlen(b) == length + 16);
  for (int shift = 0; shift <= 32; shift += 32) {
    const int64_t distance =
        (int64_t)(bits[0] >> shift & UINT32_MAX) - (int64_t)(bits[1] >> shift & UINT32_MAX);
    EXPECT_MSG(distance < -1 || distance > 1, "%s can be guessed by %s", b, a);
  }
}

static void names_cannot_be_guessed(void **state)
{
  (void)state;
  dap_error err = {0};
  for (uint64_t key = 1; key <= KEPT / 2; key++) EXPECT_OK(add(key, &err), &err);
  EXPECT_INT(seen.count, KEPT / 2);
  for (int a = 0; a < seen.count; a++)
    for (int b = 0; b < a; b++) compare(seen.names[a], seen.names[b]);
  for (int a = 0; a < seen.count; a++) EXPECT(access(seen.names[a], F_OK) != 0);
  SETTLE();
}

/* What is there is not written to, nor what it leads to, nor removed, and the wisdom file stays as it was. */
static void what_is_there_is_left_alone(void **state)
{
  (void)state;
  dap_error err = {0};
  char text[64] = "";
  const dap_way *way = NULL;
  FILE *file = __real_fopen(victim, "w");
  EXPECT(file && fputs("theirs", file) >= 0 && !fclose(file));
  EXPECT_OK(add(1, &err), &err);
  seen.squats = true;
  EXPECT_FAIL(add(2, &err), DAP_ERR_LIBRARY, &err, "options.wisdom|written|exists");
  EXPECT_INT(seen.count, 2);
  file = __real_fopen(victim, "r");
  EXPECT(file && fgets(text, sizeof text, file) && !fclose(file));
  EXPECT_MSG(!strcmp(text, "theirs"), "written over: %s", text);
  EXPECT_OK(dap_wisdom_find(wisdom, 1, &way, &err), &err);
  EXPECT(way == &dap_ways[0]);
  EXPECT_OK(dap_wisdom_find(wisdom, 2, &way, &err), &err);
  EXPECT(way == NULL);
  EXPECT(!remove(seen.names[1])); /* the link is still there */
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(names_cannot_be_guessed, enter, leave),
    cmocka_unit_test_setup_teardown(what_is_there_is_left_alone, enter, leave),
};

MPI_TEST_MAIN(tests)
