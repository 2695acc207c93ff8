/* Checks that the library reports its build as CMake configured it: CMake passes the expected values as
 * WANT_... */
#include "mpi_test.h"

#include <dapbridge/build_info.h>
#include <dapbridge/version.h>

enum { ROOM = 4096 };

static const struct {
  const char *key, *parts; /* parts of its value, separated by '|' */
  const char *why;
} rows[] = {
    {"compiler", WANT_COMPILER, "a bug may be the compiler's"},
    {"build_type", WANT_BUILD_TYPE, "Debug is slow"},
    {"system", WANT_SYSTEM, "which processor"},
    {"mpi", WANT_MPI, "the MPI that was found"},
    {"scalapack", WANT_SCALAPACK, "its version and integers"},
    {"elpa", WANT_ELPA, "its version"},
    {"hdf5", WANT_HDF5, "its version"},
    {"petsc", WANT_PETSC, "each kind of PETSc has an adapter"},
    {"command", WANT_COMMAND, "what reads JSON"},
    {"python", WANT_PYTHON, "its version"},
    {"fortran", WANT_FORTRAN, "only this compiler reads the module files"},
    {"hardened", WANT_HARDENED, "as the summary says"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static bool has_parts(const char *text, const char *parts)
{
  char copy[ROOM];
  (void)snprintf(copy, sizeof copy, "%s", parts);
  for (const char *part = strtok(copy, "|"); part; part = strtok(NULL, "|"))
    if (!strstr(text, part)) return false;
  return *text != '\0';
}

static void values_are_what_was_configured(void **state)
{
  char value[ROOM], version[64];
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    (void)dap_build_info(rows[i].key, value, sizeof value);
    EXPECT_MSG(has_parts(value, rows[i].parts), "%s is \"%s\", not %s: %s", rows[i].key, value, rows[i].parts,
               rows[i].why);
    EXPECT_MSG(strcmp(rows[i].parts, "no") != 0 || !strcmp(value, "no"), "%s is \"%s\", not no", rows[i].key,
               value);
  }
  (void)dap_build_info("version", value, sizeof value);
  EXPECT(!strcmp(value, dap_version()));
  (void)snprintf(version, sizeof version, "%d.%d.%d", DAPBRIDGE_VERSION_MAJOR, DAPBRIDGE_VERSION_MINOR,
                 DAPBRIDGE_VERSION_PATCH);
  EXPECT(!strcmp(version, dap_version()));
  SETTLE();
}

/* Checks the MPI of the headers and the one that runs. */
static void the_mpi_is_the_one_that_runs(void **state)
{
  char value[ROOM], library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  (void)state;
  (void)dap_build_info("mpi", value, sizeof value);
  MPI_Get_library_version(library, &length);
  char *number = strpbrk(value, "0123456789"); /* "Open MPI 4.1.4 (...", "MPICH 4.0.2 (..." */
  char *end = number ? strchr(number, ' ') : NULL;
  if (end) *end = '\0';
  EXPECT_MSG(number && (!end || strstr(library, number)), "%s is not in %s", value, library);
  SETTLE();
}

static void the_text_has_a_line_for_each_key(void **state)
{
  char all[ROOM], value[ROOM], line[ROOM + 80];
  (void)state;
  const size_t length = dap_build_info(NULL, all, sizeof all);
  EXPECT_INT(length, strlen(all));
  int lines = 0;
  for (const char *c = all; *c; c++) lines += *c == '\n';
  EXPECT_INT(lines, ROWS + 3); /* version, blas, kernels */
  for (const char *at = all, *end; (end = strchr(at, '\n')); at = end + 1) {
    char key[64] = "";
    (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(at, ":"), at);
    (void)dap_build_info(key, value, sizeof value);
    (void)snprintf(line, sizeof line, "%s: %s\n", key, value);
    EXPECT_MSG(*value && !strncmp(at, line, strlen(line)), "no line \"%s\"", line);
  }
  EXPECT_MSG(!strstr(all, WANT_NO_SOURCE) && !strstr(all, " /") && !strstr(all, "(/"), "a path: %s", all);
  SETTLE();
}

static void kernels_are_those_of_this_processor(void **state)
{
  char value[ROOM];
  (void)state;
  (void)dap_build_info("kernels", value, sizeof value);
  EXPECT_MSG(!strcmp(value, "plain") || !strncmp(value, "avx", 3), "kernels: %s", value);
#if defined __x86_64__ && defined __GNUC__
  EXPECT_INT(!strcmp(value, "plain"), !__builtin_cpu_supports("avx2"));
#endif
  SETTLE();
}

static void it_is_cut_as_descriptions_are(void **state)
{
  char all[ROOM], few[8];
  (void)state;
  const size_t length = dap_build_info(NULL, NULL, 0);
  EXPECT_INT(dap_build_info(NULL, few, sizeof few), length);
  EXPECT_INT(dap_build_info(NULL, all, sizeof all), length);
  EXPECT_INT(strlen(few), sizeof few - 1);
  EXPECT(!strncmp(few, all, sizeof few - 1));
  EXPECT_INT(dap_build_info("no such key", all, sizeof all), 0);
  EXPECT(!*all);
  EXPECT_INT(dap_build_info("", all, sizeof all), 0);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_what_was_configured),   cmocka_unit_test(the_mpi_is_the_one_that_runs),
    cmocka_unit_test(the_text_has_a_line_for_each_key), cmocka_unit_test(kernels_are_those_of_this_processor),
    cmocka_unit_test(it_is_cut_as_descriptions_are),
};

MPI_TEST_MAIN(tests)
