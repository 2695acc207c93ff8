/* The switch of mutants, for a scratch copy of the sources. apply.py includes it in each file with a mutant.
 * It has put MUTANT(n, expression, changed) in the place of an expression, and MUTANT_LEFT_OUT(n, statement)
 * in the place of a statement. Both expressions are evaluated, so neither may have side effects.
 *
 *     DAP_MUTANT=n            mutant n is on
 *     DAP_MUTANT_NOTES=path   an empty file path-n says that mutant n would have made a difference */
#ifndef DAP_MUTANT_H
#define DAP_MUTANT_H
#ifndef __cplusplus

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Whether mutant n is on. If it would make a difference, notes it once. */
static inline int dap_mutant_is_on(int n, int differs)
{
  enum { MUTANTS = 1000 };
  static int on = -1;
  static const char *notes;
  static unsigned char noted[MUTANTS];
  char path[4096];
  if (on < 0) {
    const char *number = getenv("DAP_MUTANT");
    notes = getenv("DAP_MUTANT_NOTES");
    on = number ? atoi(number) : 0;
  }
  if (notes && differs && !noted[n]) {
    noted[n] = 1;
    (void)snprintf(path, sizeof path, "%s-%d", notes, n);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file >= 0) (void)close(file);
  }
  return on == n;
}

#define MUTANT(n, expression, changed)                                                                       \
  __extension__({                                                                                            \
    const __typeof__(expression) dap_is_ = (expression), dap_changed_ = (changed);                           \
    dap_mutant_is_on(n, dap_is_ != dap_changed_) ? dap_changed_ : dap_is_;                                   \
  })

#define MUTANT_LEFT_OUT(n, statement)                                                                        \
  do {                                                                                                       \
    if (!dap_mutant_is_on(n, 1)) {                                                                           \
      statement                                                                                              \
    }                                                                                                        \
  } while (0)

#endif
#endif
