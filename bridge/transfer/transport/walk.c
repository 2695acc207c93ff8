/* What all ways of copying a chunk do: find the pieces of an axis, and give a block to the kernels. */
#include "copy_impl.h"

int64_t dap_walk_elements(const dap_walk *w, int k)
{
  return w->copy->chunk->hi[k] - w->copy->chunk->lo[k];
}

dap_pieces dap_walk_pieces(const dap_walk *w, int k)
{
  return dap_pieces_of(w->copy->channel->axes[k], w->copy->chunk->lo[k], w->copy->chunk->hi[k]);
}

dap_stretches dap_walk_resolve(const dap_walk *w, int k, const dap_strided_run *piece)
{
  const int64_t fs = w->from_strides[k], ts = w->to_strides[k];
  const int64_t packed = piece->before - w->copy->chunk->lo[k];
  dap_stretches s = {.from = (w->from_packed ? packed : piece->from) * fs,
                     .to = (w->to_packed ? packed : piece->to) * ts,
                     .length = piece->length,
                     .from_item = fs,
                     .to_item = ts,
                     .count = piece->count,
                     .from_step = (w->from_packed ? piece->length : piece->from_step) * fs,
                     .to_step = (w->to_packed ? piece->length : piece->to_step) * ts};
  if (s.length > 1 || s.count == 1) return s;
  s.length = s.count;
  s.from_item = s.from_step;
  s.to_item = s.to_step;
  s.count = 1;
  return s;
}

void dap_walk_block(const dap_walk *w, const dap_block *block)
{
  if (w->copy->transform)
    dap_transform_block(w->copy->transform, block);
  else
    w->copy->kernels->copy(block);
}

/* Elements of `a` times those of `b`, a stretch of each. */
void dap_walk_stretch(const dap_walk *w, const char *from, char *to, const dap_stretches *a,
                      const dap_stretches *b)
{
  dap_walk_block(w, &(dap_block){.from = from,
                                 .to = to,
                                 .n = {a->length, b->length},
                                 .from_step = {a->from_item, b->from_item},
                                 .to_step = {a->to_item, b->to_item},
                                 .itemsize = w->copy->from_item,
                                 .stream = w->copy->stream});
}

/* All stretches of `a` at one element of `b`. */
void dap_walk_line(const dap_walk *w, const char *from, char *to, const dap_stretches *a)
{
  dap_walk_block(w, &(dap_block){.from = from,
                                 .to = to,
                                 .n = {a->length, a->count},
                                 .from_step = {a->from_item, a->from_step},
                                 .to_step = {a->to_item, a->to_step},
                                 .itemsize = w->copy->from_item,
                                 .stream = w->copy->stream});
}
