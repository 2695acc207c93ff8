/* Stands in for ScaLAPACK's BLACS, and with OTHER_MPI for the other MPI that it uses. */
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
