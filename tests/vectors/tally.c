#include "vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void count(tally *all, const char *text)
{
  int i = 0;
  while (i < all->notes && strcmp(all->list[i].text, text) != 0) i++;
  if (i == TALLY_NOTES) i--; /* the last one then stands for others too */
  if (i == all->notes) {
    snprintf(all->list[i].text, sizeof all->list[i].text, "%s", text);
    all->notes++;
  }
  all->list[i].count++;
}

void tally_note(tally *all, const char *format, ...)
{
  char text[VECTOR_TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  count(all, text);
}

void tally_add(tally *all, const outcome *one)
{
  all->counts[one->verdict]++;
  if (one->verdict == VERDICT_SKIPPED) tally_note(all, "skipped: %s", one->text);
  if (one->in_two_wordings) tally_note(all, "refused in other words when assembled than when joined");
}

void tally_print(const tally *all)
{
  for (int i = 0; i < all->notes; i++) printf("%5ld  %s\n", all->list[i].count, all->list[i].text);
  printf("%ld passed, %ld failed, %ld skipped\n", all->counts[VERDICT_PASSED], all->counts[VERDICT_FAILED],
         all->counts[VERDICT_SKIPPED]);
}
