/* Creates memory that a node's processes share. It has no names, so that nothing stays behind if a program
 * is killed. If processes do not see each other in /proc, it has names until all processes have mapped it,
 * before any pages are reserved. */
#include "comm_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* The state of dap_memory_create(). */
typedef struct making {
  const dap_node *node;
  dap_memory *memory;
  bool by_name;
  dap_pages_place mine;    /* the place of this process's part; bytes 0: it has none */
  dap_pages_place *places; /* [size] of all */
} making;

static dap_status allocate(making *m, dap_error *err)
{
  const size_t size = (size_t)m->node->size;
  m->places = calloc(size, sizeof *m->places);
  m->memory->parts = calloc(size, sizeof *m->memory->parts);
  m->memory->bytes = calloc(size, sizeof *m->memory->bytes);
  DAP_REQUIRE(m->places && m->memory->parts && m->memory->bytes, err, DAP_ERR_NOMEM,
              "no memory to share memory among %d processes", m->node->size);
  m->memory->size = m->node->size;
  return DAP_OK;
}

static dap_status start(making *m, int64_t bytes, dap_error *err)
{
  const int rank = m->node->rank;
  DAP_REQUIRE(bytes >= 0, err, DAP_ERR_ARG, "a part of %" PRId64 " bytes", bytes);
  DAP_TRY(allocate(m, err));
  m->memory->bytes[rank] = bytes;
  return bytes > 0 ? dap_pages_create(m->by_name, bytes, &m->mine, &m->memory->parts[rank], err) : DAP_OK;
}

static dap_status open_parts(making *m, dap_error *err)
{
  for (int node_rank = 0; node_rank < m->node->size; node_rank++) {
    const dap_pages_place *place = &m->places[node_rank];
    m->memory->bytes[node_rank] = place->bytes;
    if (node_rank != m->node->rank && place->bytes > 0)
      DAP_TRY(dap_pages_open(place, &m->memory->parts[node_rank], err));
  }
  return DAP_OK;
}

static dap_status share(making *m, dap_error *err)
{
  dap_status s = dap_allgather(m->node->comm, &m->mine, m->places, (int)sizeof m->mine, MPI_BYTE, err);
  if (!s) s = open_parts(m, err);
  return dap_node_agree(m->node, s, err);
}

static dap_status create(making *m, int64_t bytes, dap_error *err)
{
  dap_status s = dap_node_agree(m->node, start(m, bytes, err), err);
  if (!s) s = share(m, err);
  dap_pages_forget(&m->mine);
  if (!s) {
    if (bytes > 0) s = dap_pages_reserve(&m->mine, m->memory->parts[m->node->rank], err);
    s = dap_node_agree(m->node, s, err);
  }
  if (m->mine.file >= 0) (void)close(m->mine.file);
  free(m->places);
  return s;
}

/* Creates the memory with or without names. On error there is none. */
static dap_status try_one(const dap_node *node, int64_t bytes, bool by_name, dap_memory *memory,
                          dap_error *err)
{
  dap_memory made = {0};
  making m = {.node = node, .memory = &made, .by_name = by_name, .mine = {.file = -1}};
  const dap_status s = create(&m, bytes, err);
  if (s) dap_memory_release(&made);
  *memory = made;
  return s;
}

dap_status dap_memory_create(const dap_node *node, int64_t bytes, dap_memory *memory, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  dap_status s = try_one(node, bytes, false, memory, err);
  if (s == DAP_ERR_UNSUPPORTED) s = try_one(node, bytes, true, memory, err); /* on all, as `s` is agreed */
  memory->never = s == DAP_ERR_UNSUPPORTED;
  return s == DAP_ERR_NOMEM || memory->never ? DAP_OK : s; /* there is no shared memory */
}

void dap_memory_release(dap_memory *memory)
{
  for (int node_rank = 0; node_rank < memory->size; node_rank++)
    dap_pages_release(memory->parts[node_rank], memory->bytes[node_rank]);
  free(memory->parts);
  free(memory->bytes);
  *memory = (dap_memory){0};
}
