/* Finds the word that a mistyped one was meant to be, for texts of errors. */
#ifndef DAP_NEAREST_H
#define DAP_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { DAP_NEAREST_LONGEST = 24 /* letters of words that are compared */ };

/* Counts the letters that are inserted, left out, replaced or exchanged with the next one to turn `a` into
 * `b`. Words that are too long are not near any other. */
static inline int dap_count_slips(const char *a, const char *b)
{
  int rows[DAP_NEAREST_LONGEST + 1][DAP_NEAREST_LONGEST + 1];
  const size_t m = strlen(a), n = strlen(b);
  if (m > DAP_NEAREST_LONGEST || n > DAP_NEAREST_LONGEST) return DAP_NEAREST_LONGEST;
  for (size_t i = 0; i <= m; i++) rows[i][0] = (int)i;
  for (size_t j = 0; j <= n; j++) rows[0][j] = (int)j;
  for (size_t i = 1; i <= m; i++)
    for (size_t j = 1; j <= n; j++) {
      int least = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (rows[i - 1][j] + 1 < least) least = rows[i - 1][j] + 1;
      if (rows[i][j - 1] + 1 < least) least = rows[i][j - 1] + 1;
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped && rows[i - 2][j - 2] + 1 < least) least = rows[i - 2][j - 2] + 1;
      rows[i][j] = least;
    }
  return rows[m][n];
}

/* Returns the one of two known words that is nearer to `word`; `best`, which may be NULL, if both are as
 * near. A word is near if at most a third of the letters differ. To find the nearest word of a list, begin
 * with NULL and pass each word together with the result so far. */
static inline const char *dap_nearer(const char *word, const char *known, const char *best)
{
  const int slips = dap_count_slips(word, known);
  const int most = best ? dap_count_slips(word, best) - 1 : (int)(strlen(word) / 3);
  return slips <= most && slips < DAP_NEAREST_LONGEST ? known : best;
}

#endif
