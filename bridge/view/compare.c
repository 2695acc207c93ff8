/* Compares the requests of all processes. */
#include "view_impl.h"

#include <string.h>

/* The words that must be the same everywhere, in the order in which differences are named. */
enum {
  KIND,
  ACCESS,
  SHARING,
  LOSSY,
  DTYPE,
  NDIM,
  AXES,
  LAYOUT = AXES + DAP_MAX_NDIM,
  PART,
  INDEX,
  RANGE,
  FIXED
};

typedef struct words {
  uint64_t value[FIXED + DAP_VIEW_WORDS];
  const char *name[FIXED + DAP_VIEW_WORDS];
} words;

/* Adds the part's axes, first indices and extents. Defaults are filled in. */
static void add_part(const dap_view *view, const dap_view_request *request, words *w)
{
  const dap_part *part = &request->part;
  const dap_layout *whole = request->array.layout;
  const int ndim = dap_layout_ndim(whole), kept = part->axes ? part->naxes : ndim;
  const size_t size = sizeof *view->start * (size_t)dap_layout_ndim(view->layout);
  int axes[DAP_MAX_NDIM + 1] = {0};
  int64_t start[DAP_MAX_NDIM] = {0};
  for (int j = 0; j < kept; j++) axes[j] = part->axes ? part->axes[j] : j;
  axes[kept] = !part->axes && !dap_layout_is_row_major(whole); /* whether ranks keep an order of their own */
  for (int k = 0; k < ndim && part->start; k++) start[k] = part->start[k];
  w->value[PART] = dap_hash(0, axes, sizeof *axes * (size_t)(kept + 1));
  w->value[INDEX] = dap_hash(0, start, sizeof *start * (size_t)ndim);
  w->value[RANGE] = dap_hash(dap_hash(0, view->start, size), view->shape, size);
  w->name[PART] = "part: axes";
  w->name[INDEX] = "part: start";
  w->name[RANGE] = "part: shape";
}

/* Asks the adapter for its words. Those without a name belong to this process; their hash is returned, and
 * they become 0. */
static uint64_t take_words(const dap_view *view, dap_view_word more[DAP_VIEW_WORDS])
{
  uint64_t own = 0;
  const int count = view->adapter->words ? view->adapter->words(view, more) : 0;
  for (int i = 0; i < count; i++) {
    if (more[i].name) continue;
    own = dap_hash(own, &more[i].value, sizeof more[i].value);
    more[i].value = 0;
  }
  return own;
}

/* Collects all words except the axes, which are needed only to say where layouts differ. */
static words collect(const dap_view *view, const dap_view_request *request, uint64_t *own)
{
  words w = {.name = {"the kind of view", "access", "options: sharing", "options: lossy", "the element type",
                      "the number of axes"}};
  dap_view_word more[DAP_VIEW_WORDS] = {{0}};
  *own = take_words(view, more);
  w.value[KIND] = dap_hash(0, view->adapter->name, strlen(view->adapter->name));
  w.value[ACCESS] = (uint64_t)view->access;
  w.value[SHARING] = (uint64_t)view->sharing;
  w.value[LOSSY] = view->lossy;
  w.value[DTYPE] = (uint64_t)view->dtype;
  w.value[NDIM] = (uint64_t)dap_layout_ndim(request->array.layout);
  w.value[LAYOUT] = dap_layout_hash(request->array.layout);
  w.name[LAYOUT] = "the layout";
  add_part(view, request, &w);
  for (int i = 0; i < DAP_VIEW_WORDS; i++) {
    w.value[FIXED + i] = more[i].value;
    w.name[FIXED + i] = more[i].name ? more[i].name : "the options";
  }
  return w;
}

/* Hashes the words with the part replaced by its result: its layout and processes, and a range that is not an
 * array in place. */
static uint64_t hash_form(const dap_view *view, const dap_view_request *request, words w)
{
  w.value[NDIM] = (uint64_t)dap_layout_ndim(view->layout);
  if (view->layout != request->array.layout) w.value[LAYOUT] = dap_layout_hash(view->layout);
  w.value[PART] = dap_hash(0, view->ranks, sizeof *view->ranks * (size_t)view->nprocs);
  w.value[INDEX] = 0;
  return dap_hash(0, w.value, sizeof w.value);
}

void dap_view_classify(dap_view *view, const dap_view_request *request)
{
  dap_view_kind *kind = &dap_live(view)->kind;
  uint64_t own;
  const words w = collect(view, request, &own);
  dap_live(view)->request = dap_hash(0, w.value, sizeof w.value);
  *kind = (dap_view_kind){.adapter = view->adapter,
                          .words = hash_form(view, request, w),
                          .own = own,
                          .alignment = (uintptr_t)view->local.data % 16,
                          .is_null = view->local.data == NULL,
                          .swapped = view->local.swapped,
                          .member = (uint64_t)view->member};
  for (int j = 0; j < view->local.ndim; j++) kind->strides[j] = view->local.strides[j];
}

void dap_view_classify_own(dap_view *view)
{
  dap_view_word more[DAP_VIEW_WORDS] = {{0}};
  dap_live(view)->kind.own = take_words(view, more);
}

/* Fails and names the word that differs. Collective. */
static dap_status name_difference(const dap_view *view, const dap_view_request *request, dap_error *err)
{
  static const char *const axes[] = {"axis 0 of the layout", "axis 1 of the layout", "axis 2 of the layout",
                                     "axis 3 of the layout", "axis 4 of the layout", "axis 5 of the layout",
                                     "axis 6 of the layout", "axis 7 of the layout"};
  const dap_layout *layout = request->array.layout;
  uint64_t own;
  words w = collect(view, request, &own);
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    w.name[AXES + k] = axes[k];
    w.value[AXES + k] = k < layout->ndim ? dap_map_hash(0, &layout->maps[k]) : 0;
  }
  return dap_agree_words(request->comm, w.value, w.name, FIXED + DAP_VIEW_WORDS, err);
}

enum { EQUAL, NOT_EQUAL };
enum { VOTES, KEPT };

dap_status dap_view_agree(dap_view *view, const dap_view_request *request, const char *function, dap_status s,
                          uint64_t *kept, dap_error *err)
{
  dap_agreement a = {.function = function, .status = s};
  if (!s) {
    a.least[EQUAL] = (int64_t)dap_live(view)->request;
    a.least[NOT_EQUAL] = ~a.least[EQUAL];
    a.bits[VOTES] = view->adapter->vote ? view->adapter->vote(view) : 0;
    a.bits[KEPT] = *kept;
  }
  *kept = 0;
  DAP_TRY(dap_agree_first(request->comm, &a, err));
  if (a.least[EQUAL] != ~a.least[NOT_EQUAL]) return name_difference(view, request, err);
  view->votes = a.bits[VOTES];
  *kept = a.bits[KEPT];
  return DAP_OK;
}

dap_status dap_view_agree_arguments(dap_view *view, const uint64_t arguments[], const char *const names[],
                                    int count, dap_status s, dap_error *err)
{
  dap_agreement a = {.function = dap_live(view)->function,
                     .status = s,
                     .words = arguments,
                     .names = names,
                     .count = s ? 0 : count};
  dap_live(view)->function = NULL;
  return dap_agree_all(view->comm, &a, err);
}

dap_status dap_view_agree_call(dap_view *view, dap_status s, dap_error *err)
{
  const char *function = dap_live(view)->function;
  dap_live(view)->function = NULL;
  return dap_agree_call(view->comm, function, s, err);
}
