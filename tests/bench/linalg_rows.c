/* Finds the rows of the table by number and name. */
#include "command_line.h"
#include "linalg.h"

#include <stdio.h>
#include <string.h>

const linalg_row *linalg_row_at(int i)
{
  static const linalg_row *const tables[] = {linalg_products, linalg_systems, linalg_kept, linalg_orthogonal,
                                             linalg_eigen,    linalg_general, linalg_bands};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const linalg_row *row = tables[t]; row->name; row++)
      if (i-- == 0) return row;
  return NULL;
}

bool linalg_has_moves(const linalg_row *row)
{
  return !row->stretch && !row->gathered && !(row->before && row->operands[1] == LINALG_NONE);
}

static bool is_row(const char *word, bool (*is_wanted)(const linalg_row *row))
{
  for (int i = 0; linalg_row_at(i); i++)
    if (is_wanted(linalg_row_at(i)) && bench_is_listed(word, linalg_row_at(i)->name)) return true;
  return false;
}

bool linalg_are_rows(const char *list, bool (*is_wanted)(const linalg_row *row))
{
  char one[64];
  for (const char *word = list ? list : ""; *word; word = bench_next_word(word)) {
    const size_t length = strcspn(word, ",");
    if (length >= sizeof one) return false;
    snprintf(one, sizeof one, "%.*s", (int)length, word);
    if (!is_row(one, is_wanted)) return false;
  }
  return true;
}
