#include "vectors.h"

#include <stdio.h>
#include <string.h>

void tally_add(tally *all, const outcome *one)
{
  all->counts[one->verdict]++;
  if (one->verdict != VERDICT_SKIPPED) return;
  int i = 0;
  while (i < all->reasons && strcmp(all->list[i].text, one->text) != 0) i++;
  if (i == TALLY_REASONS) i--; /* the last one then stands for others too */
  if (i == all->reasons) {
    snprintf(all->list[i].text, sizeof all->list[i].text, "%s", one->text);
    all->reasons++;
  }
  all->list[i].count++;
}

void tally_print(const tally *all)
{
  for (int i = 0; i < all->reasons; i++) printf("skipped %ld: %s\n", all->list[i].count, all->list[i].text);
  printf("%ld passed, %ld failed, %ld skipped\n", all->counts[VERDICT_PASSED], all->counts[VERDICT_FAILED],
         all->counts[VERDICT_SKIPPED]);
}
