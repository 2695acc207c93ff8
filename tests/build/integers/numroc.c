/* Stands in for ScaLAPACK. It defines only numroc_, which counts block by block.
 *
 * INTEGER is its type. HALF selects the 32 bits of a 64-bit argument that it reads; with 1 they are those
 * that 32-bit integers of a big-endian machine would read. If ANSWER is defined, numroc_ returns it. */
#include <stdint.h>

#ifndef HALF
#define HALF 0
#endif

INTEGER numroc_(const INTEGER *n, const INTEGER *nb, const INTEGER *iproc, const INTEGER *isrcproc,
                const INTEGER *nprocs);

INTEGER numroc_(const INTEGER *n, const INTEGER *nb, const INTEGER *iproc, const INTEGER *isrcproc,
                const INTEGER *nprocs)
{
#ifdef ANSWER
  (void)n, (void)nb, (void)iproc, (void)isrcproc, (void)nprocs;
  return ANSWER;
#else
  INTEGER count = 0;
  for (INTEGER block = 0; block * nb[HALF] < n[HALF]; block++) {
    const INTEGER rest = n[HALF] - block * nb[HALF];
    if ((block + isrcproc[HALF]) % nprocs[HALF] == iproc[HALF]) count += rest < nb[HALF] ? rest : nb[HALF];
  }
  return count;
#endif
}
