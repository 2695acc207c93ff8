/* A stand-in for ScaLAPACK that has numroc_ only, counted block by block. INTEGER: its type. HALF: which 32
 * bits of a 64-bit argument it reads; 1 is what a big-endian machine's 32-bit integers would do here.
 * ANSWER: given instead. */
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
