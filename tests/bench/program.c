#include "program.h"

#include <mpi.h>
#include <stdio.h>

int bench_main(int argc, char **argv, const bench_program *program)
{
  int status;
  bench_launch launch;
  MPI_Init(&argc, &argv);
  launch = (bench_launch){.argc = argc, .argv = argv};
  MPI_Comm_rank(MPI_COMM_WORLD, &launch.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &launch.nprocs);
  if (bench_command_line_read(program->about, program->options, argc, argv, launch.rank == 0, &status)) {
    if (program->start) program->start();
    const int64_t wrong = program->run(&launch);
    if (launch.rank == 0 && program->legend && !(program->is_data && *program->is_data))
      printf("\n%s%s\n", program->legend, wrong ? "SOME ELEMENTS ARE WRONG." : "All elements are right.");
    if (program->stop) program->stop();
    status = wrong != 0;
  }
  MPI_Finalize();
  return status;
}
