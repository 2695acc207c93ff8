/* Reports a process that is alone in MPI_COMM_WORLD although its launcher started several. With another MPI's
 * launcher each process of a job is a world of its own, and MPI does not tell. */
#define _GNU_SOURCE /* getdelim(); NOLINT(bugprone-reserved-identifier) */
#include "comm_impl.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Variables that launchers set for the processes that they start. SLURM_NTASKS is not among them, because it
 * is also set in scripts of sbatch and shells of salloc, which start programs of one process. */
typedef struct launcher {
  const char *name;
  const char *size, *rank; /* variables with the number of processes, and with this one's rank */
} launcher;

static const launcher launchers[] = {
    {"Open MPI's", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"MPICH's, or another one with PMI", "PMI_SIZE", "PMI_RANK"},
    {"Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

/* Returns the number in a variable; -1: it has none. */
static long number(const char *variable)
{
  const char *text = getenv(variable);
  char *end = NULL;
  const long value = text ? strtol(text, &end, 10) : -1;
  return text && end != text && !*end ? value : -1;
}

/* Returns the launcher that has started several processes, if this is the first of them. NULL: there is none,
 * or another launcher has started only this process, such as an mpiexec -n 1 in a job of several. */
static const launcher *several(void)
{
  const launcher *found = NULL;
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
    const long size = number(launchers[i].size);
    if (size == 1) return NULL;
    if (!found && size > 1) found = &launchers[i];
  }
  return found && number(found->rank) == 0 ? found : NULL;
}

/* Returns whether a file of /proc has the item `wanted`, or if `within`, an item that contains it. `end`
 * ends each item. */
static bool has(int64_t process, const char *file, int end, const char *wanted, bool within)
{
  char name[64], *item = NULL;
  size_t room = 0;
  bool found = false;
  (void)snprintf(name, sizeof name, "/proc/%" PRId64 "/%s", process, file);
  FILE *f = fopen(name, "re");
  if (!f) return false;
  while (!found && getdelim(&item, &room, end, f) > 0)
    found = within ? strstr(item, wanted) != NULL : strcmp(item, wanted) == 0;
  free(item);
  (void)fclose(f);
  return found;
}

/* Returns whether a process of the job that uses MPI has started this one, such as a Python program's
 * subprocess. This process has inherited the environment, and is alone on purpose. Without /proc it returns
 * false. */
static bool is_started_by_mpi(const launcher *l)
{
  char mark[64];
  (void)snprintf(mark, sizeof mark, "%s=%ld", l->size, number(l->size));
  for (int64_t p = getppid(); p > 1 && has(p, "environ", '\0', mark, false); (void)dap_process_state(p, &p))
    if (has(p, "maps", '\n', "/libmpi", true)) return true;
  return false;
}

/* Writes the first words of MPI's version: "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\n...". */
static void name_library(char name[MPI_MAX_LIBRARY_VERSION_STRING])
{
  int length = 0;
  if (MPI_Get_library_version(name, &length) != MPI_SUCCESS)
    (void)snprintf(name, MPI_MAX_LIBRARY_VERSION_STRING, "not known");
  name[strcspn(name, ",\n")] = '\0';
  for (char *c = name; *c; c++)
    if (*c == '\t') *c = ' ';
}

static void report(const launcher *l)
{
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING], line[1024];
  name_library(mpi);
  (void)snprintf(
      line, sizeof line,
      "dapbridge: %s is %ld, but MPI_COMM_WORLD has only 1 process: each process of this job runs alone. "
      "The launcher is %s; the program's MPI is %.200s. Start it with the mpiexec of %.200s, or set "
      "DAPBRIDGE_LOG=off if this is meant",
      l->size, number(l->size), l->name, mpi, mpi);
  dap_log_say(line);
}

void dap_launch_check(void)
{
  static atomic_bool is_done;
  int size = 0;
  MPI_Comm parent = MPI_COMM_NULL;
  if (atomic_load_explicit(&is_done, memory_order_relaxed) || atomic_exchange(&is_done, true)) return;
  const launcher *l = several();
  if (!l || MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS || size != 1) return;
  if (MPI_Comm_get_parent(&parent) != MPI_SUCCESS || parent != MPI_COMM_NULL) return; /* it was spawned */
  if (!is_started_by_mpi(l)) report(l);
}
