/* The main program of a suite. It runs the members that the arguments name, or all, one after the other. MPI
 * starts once. */
#include "mpi_test.h"

#define MEMBER(name) int test_member_##name(void);
#include "members.inc" /* MEMBER(name) for each, made by dap_make_suites_() in cmake/DapTest.cmake */
#undef MEMBER

static const struct {
  const char *name;
  int (*run)(void);
} members[] = {
#define MEMBER(name) {#name, test_member_##name},
#include "members.inc"
#undef MEMBER
};
enum { MEMBERS = sizeof members / sizeof members[0] };

/* Runs the members called `name`, or all if it is NULL. Returns the number of failed tests. A name that no
 * member has counts as one. */
static int run(const char *name)
{
  int failed = 0, found = 0;
  for (int i = 0; i < MEMBERS; i++) {
    if (name && strcmp(name, members[i].name) != 0) continue;
    found++;
    if (test_rank() == 0) print_message("== %s\n", members[i].name);
    fflush(stdout);
    failed += members[i].run();
    watchdog(0, "nothing"); /* so the limit of this member cannot end a later one */
  }
  if (!found) print_error("no member is called \"%s\"\n", name);
  return found ? failed : 1;
}

int main(int argc, char **argv)
{
  mpi_test_start(&argc, &argv);
  int failed = argc < 2 ? run(NULL) : 0;
  for (int i = 1; i < argc; i++) failed += run(argv[i]);
  return mpi_test_end(failed);
}
