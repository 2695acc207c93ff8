/* A stand-in for ScaLAPACK's BLACS, which may stand on another MPI, and for that one. */
int MPI_Init(int *argc, char ***argv);
void Cblacs_pinfo(int *rank, int *nprocs);

#ifdef OTHER_MPI
int MPI_Init(int *argc, char ***argv)
{
  return !argc || !argv;
}
#else
void Cblacs_pinfo(int *rank, int *nprocs)
{
  *nprocs = 1;
  *rank = MPI_Init(0, 0);
}
#endif
