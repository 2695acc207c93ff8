/* A chunk that is a box without gaps along each axis, as those of halo updates are, is looked at once for all
 * its arrays: small ones take longer to look at than to copy. It may have more than one position along the
 * two fastest axes only, as faces of fields have. */
#include "copy_impl.h"

#include <string.h>

/* Short lines are not worth a call of a kernel. */
enum { SHORT = 64 /* bytes */, SMALL = 2048 /* elements of all */ };

bool dap_walk_box(const dap_walk *w, dap_single_block *box)
{
  dap_stretches s[2] = {{.length = 1}, {.length = 1}}; /* along the fastest axis, and the one before it */
  if (w->copy->transform || w->ndim == 0) return false;
  *box = (dap_single_block){.from = 0};
  for (int i = 0; i < w->ndim; i++) {
    const int k = w->axes[i], at = w->ndim - 1 - i;
    dap_pieces pieces = dap_walk_pieces(w, k);
    dap_strided_run piece;
    if (!dap_pieces_next(&pieces, &piece) || pieces.at < pieces.end) return false;
    const dap_stretches here = dap_walk_resolve(w, k, &piece);
    if (here.count > 1 || (at > 1 && here.length > 1)) return false;
    box->from += here.from;
    box->to += here.to;
    if (at < 2) s[at] = here;
  }
  if (s[1].length > 1 && dap_magnitude(s[0].from_item) > dap_magnitude(s[1].from_item)) return false;
  box->block = (dap_block){.n = {s[0].length, s[1].length},
                           .from_step = {s[0].from_item, s[1].from_item},
                           .to_step = {s[0].to_item, s[1].to_item},
                           .itemsize = w->copy->from_item,
                           .stream = w->copy->stream};
  const int64_t item = box->block.itemsize, line = s[0].length * item;
  box->is_line = s[1].length == 1 && (s[0].length == 1 || (s[0].from_item == item && s[0].to_item == item));
  box->is_small = line <= SHORT && s[0].length * s[1].length <= SMALL && item == sizeof(double);
  return true;
}

void dap_walk_copy_box(const dap_walk *w, const dap_single_block *box, const char *from, char *to)
{
  dap_block b = box->block;
  b.from = from + box->from;
  b.to = to + box->to;
  if (b.to == b.from) return; /* in place */
  if (box->is_line && !b.stream)
    memcpy(b.to, b.from, (size_t)(b.n[0] * b.itemsize));
  else if (box->is_small)
    for (int64_t j = 0; j < b.n[1]; j++)
      for (int64_t i = 0; i < b.n[0]; i++)
        memcpy(b.to + j * b.to_step[1] + i * b.to_step[0], b.from + j * b.from_step[1] + i * b.from_step[0],
               sizeof(double));
  else
    w->copy->kernels->copy(&b);
}
