/* Nodes, and the memory that their processes share. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "shared_memory.h"

#include <inttypes.h>

enum { RANKS = 64 };

/* ---- nodes ------------------------------------------------------------------------------------------- */

/* What hosts[rank] of all processes of `comm` mean, counted one by one. */
static void check_node(MPI_Comm comm, const int hosts[])
{
  int rank = 0, nprocs = 0, size = 0, node_rank = 0;
  uint64_t ids[RANKS];
  dap_node node;
  dap_error err = {0};
  const uint64_t id = dap_process_id();
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &nprocs);
  MPI_Allgather(&id, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, comm);
  if (!EXPECT_OK(dap_node_create(comm, &node, &err), &err)) return;
  for (int r = 0; r < nprocs; r++) {
    if (r == rank) node_rank = size;
    EXPECT_INT(node.node_ranks[r], hosts[r] == hosts[rank] ? size : -1);
    if (hosts[r] == hosts[rank]) EXPECT(node.ids[size] == ids[r]);
    size += hosts[r] == hosts[rank];
  }
  EXPECT_INT(node.size, size);
  EXPECT_INT(node.rank, node_rank);
  int sum = 0;
  MPI_Allreduce(&node_rank, &sum, 1, MPI_INT, MPI_SUM, node.comm);
  EXPECT_INT(sum, size * (size - 1) / 2);
  dap_node_release(&node);
  EXPECT(node.comm == MPI_COMM_NULL && !node.node_ranks && !node.ids && node.size == 0);
  dap_node_release(&node);
}

static void processes_have_ids(void **state)
{
  (void)state;
  uint64_t ids[RANKS];
  const uint64_t id = dap_process_id();
  MPI_Allgather(&id, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, MPI_COMM_WORLD);
  EXPECT(id != 0 && id == dap_process_id());
  for (int a = 0; a < test_nprocs(); a++)
    for (int b = 0; b < a; b++) EXPECT_MSG(ids[a] != ids[b], "ranks %d and %d have one id", b, a);
  SETTLE();
}

/* The names of the machines, by MPI, say who shares memory. */
static void nodes_are_machines(void **state)
{
  (void)state;
  static char names[RANKS][MPI_MAX_PROCESSOR_NAME];
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0, hosts[RANKS];
  MPI_Get_processor_name(name, &length);
  MPI_Allgather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  for (int r = 0; r < test_nprocs(); r++)
    for (hosts[r] = 0; strcmp(names[hosts[r]], names[r]) != 0;) hosts[r]++;
  check_node(MPI_COMM_WORLD, hosts);
  check_node(MPI_COMM_SELF, &(int){0});
  dap_node zeroed = {0};
  dap_node_release(&zeroed);
  SETTLE();
}

typedef struct pretence {
  const char *why;
  int hosts[6];
} pretence;

static const pretence pretences[] = {
    {"one host", {7, 7, 7, 7, 7, 7}},          {"two hosts by halves", {0, 0, 0, 1, 1, 1}},
    {"two hosts in turn", {1, 0, 1, 0, 1, 0}}, {"each its own", {5, 4, 3, 2, 1, 0}},
    {"one apart", {0, 0, 9, 0, 0, 0}},         {"three hosts, uneven", {2, 0, 0, 1, 0, 2}},
};

/* Also on duplicates, and where ranks are in another order; but not on the communicator behind it. */
static void check_pretence(const pretence *row)
{
  MPI_Comm comm, again, turned;
  int hosts[6], order[6], machines[6];
  for (int r = 0; r < test_nprocs(); r++) {
    machines[r] = test_node(r);
    hosts[r] = row->hosts[r] * RANKS + machines[r];
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, row->hosts[test_rank()]));
  check_node(comm, hosts);
  MPI_Comm_dup(comm, &again);
  MPI_Comm_free(&comm);
  check_node(again, hosts);
  MPI_Comm_split(again, 0, -test_rank(), &turned);
  for (int r = 0; r < test_nprocs(); r++) order[r] = hosts[test_nprocs() - 1 - r];
  EXPECT(dap_node_pretend(turned, row->hosts[test_rank()]));
  check_node(turned, order);
  check_node(MPI_COMM_WORLD, machines);
  MPI_Comm_free(&again);
  MPI_Comm_free(&turned);
}

static void hosts_can_be_pretended(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof pretences / sizeof pretences[0] && test_nprocs() <= 6; i++) {
    TEST_CASE("%s", pretences[i].why);
    check_pretence(&pretences[i]);
    SETTLE();
  }
}

/* ---- memory ------------------------------------------------------------------------------------------ */

enum { PERIOD = 251 * 255 /* of the pattern */ };

/* The first PERIOD bytes of what `writer` writes to the part of `owner`; -1: zeros, which nobody wrote. */
static const unsigned char *pattern(int writer, int owner)
{
  static unsigned char bytes[PERIOD];
  for (int at = 0; at < PERIOD; at++)
    bytes[at] = (unsigned char)(writer < 0 ? 0 : 1 + (writer * 31 + owner * 7 + at * 3 + at / 251) % 255);
  return bytes;
}

static bool check_part(const char *part, int64_t bytes, int writer, int owner)
{
  const unsigned char *want = pattern(writer, owner);
  for (int64_t at = 0; at < bytes; at += PERIOD) {
    const int64_t length = bytes - at < PERIOD ? bytes - at : PERIOD;
    if (!memcmp(part + at, want, (size_t)length)) continue;
    int64_t i = 0;
    while ((unsigned char)part[at + i] == want[i]) i++;
    return EXPECT_MSG(false, "byte %" PRId64 " of part %d is wrong", at + i, owner);
  }
  return true;
}

/* Each part has what `writer(owner)` = (owner + shift) % size wrote there; shift -1: zeros. */
static void check_parts(const dap_node *node, const dap_memory *memory, int shift)
{
  for (int owner = 0; owner < memory->size; owner++)
    if (!check_part(memory->parts[owner], memory->bytes[owner], shift < 0 ? -1 : (owner + shift) % node->size,
                    owner))
      return;
}

/* Everyone writes the part that is `shift` before its own. */
static void write_part(const dap_node *node, const dap_memory *memory, int shift)
{
  const int owner = (node->rank - shift + node->size) % node->size;
  const unsigned char *bytes = pattern(node->rank, owner);
  for (int64_t at = 0; at < memory->bytes[owner]; at += PERIOD) {
    const int64_t rest = memory->bytes[owner] - at;
    memcpy(memory->parts[owner] + at, bytes, (size_t)(rest < PERIOD ? rest : PERIOD));
  }
}

typedef struct sizes {
  const char *why;
  int64_t bytes[6];
} sizes;

static const sizes size_rows[] = {
    {"a byte each", {1, 1, 1, 1, 1, 1}},
    {"whole pages, and one more", {4096, 4097, 8192, 4095, 1, 4096}},
    {"some have none", {0, 100, 0, 5000, 1, 0}},
    {"only the first has any", {777, 0, 0, 0, 0, 0}},
    {"nobody has any", {0, 0, 0, 0, 0, 0}},
    {"more than is reserved at a time", {1, (1 << 24) + 1, 3, 1 << 24, 0, 9}},
};

static void check_sizes(const dap_node *node, const sizes *row)
{
  dap_memory memory;
  dap_error err = {0};
  const int before = count_mappings();
  if (!EXPECT_OK(dap_memory_create(node, row->bytes[node->rank], &memory, &err), &err)) return;
  if (!EXPECT_MSG(memory.size == node->size, "no shared memory: %s", err.text)) return;
  EXPECT(count_names() <= 0);
  for (int node_rank = 0; node_rank < node->size; node_rank++) {
    EXPECT_INT(memory.bytes[node_rank], row->bytes[node_rank]);
    EXPECT((uintptr_t)memory.parts[node_rank] % 4096 == 0);
    EXPECT((memory.parts[node_rank] == NULL) == (row->bytes[node_rank] == 0));
  }
  for (int shift = -1; shift < 3; shift++) {
    if (shift >= 0) write_part(node, &memory, shift);
    MPI_Barrier(node->comm);
    check_parts(node, &memory, shift);
    MPI_Barrier(node->comm);
  }
  /* The even ones go; the others still see all that there was. */
  if (node->rank % 2 == 0) dap_memory_release(&memory);
  MPI_Barrier(node->comm);
  check_parts(node, &memory, 2);
  dap_memory_release(&memory);
  EXPECT(memory.size == 0 && !memory.parts && !memory.bytes);
  dap_memory_release(&memory);
  EXPECT_INT(count_mappings(), before);
}

static void parts_are_seen_by_all(void **state)
{
  (void)state;
  dap_node node;
  EXPECT_OK(dap_node_create(MPI_COMM_WORLD, &node, NULL), NULL);
  for (size_t i = 0; i < sizeof size_rows / sizeof size_rows[0]; i++) {
    TEST_CASE("%s", size_rows[i].why);
    check_sizes(&node, &size_rows[i]);
    SETTLE();
  }
  dap_node_release(&node);
}

/* ---- no memory --------------------------------------------------------------------------------------- */

typedef struct failure {
  const char *why;
  test_limit limit;
  int64_t culprit, others; /* bytes */
  const char *parts;       /* of the reason */
} failure;

static const failure failures[] = {
    {"a part is too large", LIMIT_SIZE, LIMIT_BYTES + 1, 1000, "65537 bytes|File too large"},
    {"a part cannot be made", LIMIT_FILES, 1000, 2000, "1000 bytes|shm_open|Too many open files"},
    {"another's part cannot be seen", LIMIT_FILES, 0, 2000, "2000 bytes|open|Too many open files"},
};

/* The rank is that of the whole communicator. */
static void expect_culprit(const dap_node *node, dap_status status, dap_error *err, int culprit,
                           const char *parts)
{
  EXPECT_INT(err->rank, culprit);
  err->rank = 0;
  expect_same_error(node->comm, status, err, status, parts);
}

static void check_failure(const dap_node *node, const failure *row, int culprit)
{
  const bool is_here = test_is_mate(culprit); /* the other nodes have their memory */
  char parts[DAP_ERROR_TEXT];
  dap_memory memory;
  dap_error err = {0};
  const int before = count_mappings();
  const bool is_culprit = test_rank() == culprit, fails = is_here && (row->culprit > 0 || node->size > 1);
  if (is_culprit) limit_start(row->limit);
  const dap_status s = dap_memory_create(node, is_culprit ? row->culprit : row->others, &memory, &err);
  if (is_culprit) limit_end();
  EXPECT_INT(s, DAP_OK);
  snprintf(parts, sizeof parts, "rank %d|%s", culprit, row->parts);
  if (!fails) EXPECT_INT(memory.size, node->size);
  if (fails) {
    EXPECT(memory.size == 0 && !memory.parts && !memory.bytes);
    expect_culprit(node, DAP_ERR_NOMEM, &err, culprit, parts);
  }
  dap_memory_release(&memory);
  EXPECT_INT(count_mappings(), before);
  EXPECT(count_names() <= 0);
  EXPECT_OK(dap_memory_create(node, 100, &memory, NULL), NULL);
  EXPECT_INT(memory.size, node->size);
  dap_memory_release(&memory);
}

static void all_know_when_one_cannot(void **state)
{
  (void)state;
  dap_node node;
  EXPECT_OK(dap_node_create(MPI_COMM_WORLD, &node, NULL), NULL);
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      TEST_CASE("%s, on rank %d", failures[i].why, culprit);
      check_failure(&node, &failures[i], culprit);
      SETTLE();
    }
  dap_memory memory;
  dap_error err = {0};
  char parts[DAP_ERROR_TEXT];
  EXPECT_STATUS(dap_memory_create(&node, node.rank == 0 ? -1 : 5, &memory, &err), DAP_ERR_ARG, &err);
  const int culprit = test_node(test_rank());
  snprintf(parts, sizeof parts, "rank %d|-1 bytes", culprit);
  expect_culprit(&node, DAP_ERR_ARG, &err, culprit, parts);
  EXPECT_OK(dap_memory_create(&node, INT64_MAX, &memory, &err), &err);
  EXPECT(memory.size == 0 && test_contains(err.text, "rank|9223372036854775807 bytes"));
  EXPECT_OK(dap_memory_create(&node, INT64_MAX, &memory, NULL), NULL);
  dap_node_release(&node);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(processes_have_ids),       cmocka_unit_test(nodes_are_machines),
    cmocka_unit_test(hosts_can_be_pretended),   cmocka_unit_test(parts_are_seen_by_all),
    cmocka_unit_test(all_know_when_one_cannot),

};

MPI_TEST_MAIN(tests)
