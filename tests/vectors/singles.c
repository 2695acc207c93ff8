/* Files of single dictionaries: {list: [entry, ...], ...}, or one list. */
#include "vectors.h"

#include <stdio.h>

/* Where entries bring buffers, they are whole exports, and one without lacks it. Where none does, they are
 * dictionaries only. */
static bool has_buffers(const json_t *list)
{
  const json_t *entry;
  size_t i;
  json_array_foreach((json_t *)list, i, entry) if (json_object_get(entry, "buffer") ||
                                                   json_object_get(entry, "buffer_shape")) return true;
  return false;
}

static const char *name_of(const json_t *entry)
{
  const char *name = json_string_value(json_object_get(entry, "name"));
  return name ? name : json_string_value(json_object_get(entry, "test"));
}

static void run_list(const char *list_name, const json_t *list, tally *all, singles_report report,
                     void *context)
{
  const bool needs_buffer = has_buffers(list);
  const json_t *entry;
  size_t i;
  json_array_foreach((json_t *)list, i, entry)
  {
    char name[256];
    const char *given = name_of(entry);
    const outcome one = single_run(entry, needs_buffer, all);
    snprintf(name, sizeof name, "%s%s%zu%s%s", list_name, list_name[0] ? " " : "entry ", i, given ? ", " : "",
             given ? given : "");
    tally_add(all, &one);
    report(context, name, &one);
  }
}

void singles_run(const json_t *file, tally *all, singles_report report, void *context)
{
  const outcome broken = {.verdict = VERDICT_FAILED, .text = "it is no list of entries"};
  const json_t *list;
  const char *name;
  if (json_is_array(file)) run_list("", file, all, report, context);
  json_object_foreach((json_t *)file, name, list)
  {
    if (json_is_array(list)) {
      run_list(name, list, all, report, context);
      continue;
    }
    tally_add(all, &broken);
    report(context, name, &broken);
  }
  if (json_is_array(file) || json_is_object(file)) return;
  tally_add(all, &broken);
  report(context, "the file", &broken);
}
