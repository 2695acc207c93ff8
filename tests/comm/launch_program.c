/* Works on a communicator, for launch.sh. Its argument selects how.
 *
 *   work             works twice, on two communicators
 *   log              does the same, with a callback that prints "logged: <line>" on standard output
 *   plan             makes a plan on all processes, about which the log has a line
 *   early            asks for the log before MPI runs, then makes a plan
 *   spawn            lets MPI start a process that works in its place
 *   start COMMAND    starts a shell's command as an MPI process, and does nothing else */
#include <dapbridge/comm.h>
#include <dapbridge/log.h>
#include <dapbridge/plan.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_line(void *context, const char *line)
{
  (void)context;
  (void)printf("logged: %s\n", line);
}

static int work(void)
{
  MPI_Comm other;
  dap_error err;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  dap_status s = dap_agree(MPI_COMM_WORLD, DAP_OK, &err);
  if (!s) s = dap_agree(other, DAP_OK, &err);
  MPI_Comm_free(&other);
  return (int)s;
}

static int plan(void)
{
  int nprocs;
  dap_layout *layout = NULL;
  dap_plan *made = NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist dist = dap_dist_even(12, nprocs);
  dap_status s = dap_layout_create(1, &dist, &layout, NULL);
  const dap_side side = {.layout = layout, .contiguous = true};
  if (!s) s = dap_plan_create(MPI_COMM_WORLD, &side, &side, 8, NULL, &made, NULL);
  dap_plan_destroy(&made);
  dap_layout_destroy(&layout);
  return (int)s;
}

/* Starts a process through MPI, in whose environment another launcher's variables are set. */
static int spawn(char *program)
{
  MPI_Comm child;
  char unset[] = "-u", own[] = "OMPI_COMM_WORLD_SIZE", size[] = "PMI_SIZE=3", rank[] = "PMI_RANK=0",
       kind[] = "work";
  char *arguments[] = {unset, own, size, rank, program, kind, NULL};
  const int code =
      MPI_Comm_spawn("env", arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
  if (!code) MPI_Comm_disconnect(&child);
  return code;
}

int main(int argc, char **argv)
{
  int code = 1;
  MPI_Comm parent;
  const char *kind = argc > 1 ? argv[1] : "";
  const bool early = !strcmp(kind, "early");
  if (early) (void)dap_log_is_on();
  MPI_Init(&argc, &argv);
  if (!strcmp(kind, "log")) dap_log_set(print_line, NULL);
  if (!strcmp(kind, "work") || !strcmp(kind, "log")) code = work();
  if (!strcmp(kind, "plan") || early) code = plan();
  if (!strcmp(kind, "spawn")) code = spawn(argv[0]);
  if (!strcmp(kind, "start") && argc > 2) code = system(argv[2]); /* NOLINT(cert-env33-c) */
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return code != 0;
}
