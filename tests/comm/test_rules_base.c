/* The right arrays of four processes, and what the rows make of them. */
#include "random_array.h"
#include "test_rules.h"

#include <dapbridge/join.h>

/* ---- the four processes ------------------------------------------------------------------------- */

static MPI_Comm four = MPI_COMM_NULL;
static bool made = false;

MPI_Comm rules_comm(void)
{
  if (made || test_nprocs() == FOUR) return made ? four : MPI_COMM_WORLD;
  const bool is_in = test_rank() >= 1 && test_rank() <= FOUR;
  MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, -test_rank(), &four);
  made = true;
  return four;
}

void rules_end(void)
{
  if (four != MPI_COMM_NULL) MPI_Comm_free(&four);
}

int rules_rank(void)
{
  int rank = -1;
  const MPI_Comm comm = rules_comm();
  if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  return rank;
}

/* ---- the bases ---------------------------------------------------------------------------------- */

static const int64_t sparse[] = {5, 0, 3, 0}, hollow[] = {0, 6, 5, 5}, ended[] = {4, 0};
static const int64_t lists_0[] = {0, 1, 2}, lists_1[] = {2, 3, 4}, lists_2[] = {5, 6, 7, 0},
                     lists_3[] = {7, 3};
static const int64_t *const lists[] = {lists_0, lists_1, lists_2, lists_3}, lists_lengths[] = {3, 3, 4, 2};
static const int64_t disjoint_0[] = {0, 4}, disjoint_1[] = {5, 1}, disjoint_2[] = {2, 6},
                     disjoint_3[] = {7, 3};
static const int64_t *const disjoint[] = {disjoint_0, disjoint_1, disjoint_2, disjoint_3},
                            twos[] = {2, 2, 2, 2};
static const int64_t shared_0[] = {0, 2, 4, 5}, shared_1[] = {1, 3, 5};
static const int64_t *const shared[] = {shared_0, shared_1}, shared_lengths[] = {4, 3};
static const int64_t rows_0[] = {2, 0}, rows_1[] = {1, 3}, columns_0[] = {1, 0}, columns_1[] = {2};
static const int64_t *const rows_of[] = {rows_0, rows_1}, *const columns_of[] = {columns_0, columns_1};
static const int64_t columns_lengths[] = {2, 1};
static const int64_t repeated_0[] = {2, 0, 1}, *const repeated[] = {repeated_0}, repeated_lengths[] = {3};
static const int turned[] = {2, 0, 3, 1};

#define BLOCKS(size_, block_, procs_)                                                                        \
  {                                                                                                          \
    .kind = DAP_DIST_CYCLIC, .size = (size_), .procs = (procs_), .block_size = (block_)                      \
  }
#define LISTED(size_, procs_, lengths_, lists_, one_)                                                        \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .size = (size_), .procs = (procs_), .lengths = (lengths_),                \
    .indices = (lists_), .one_to_one = (one_)                                                                \
  }

static const struct {
  int ndim;
  dap_dist dists[2];
  const int *ranks;    /* NULL: row-major */
  const char *version; /* NULL: that of dap_array_init() */
  bool is_uncut;       /* the first axis is written as the version writes undistributed ones */
} bases[RULE_BASES] = {
    [PADDED] = {.ndim = 1, .dists = {{.size = 16, .procs = 4, .halo = 1}}},
    [PLAIN] = {.ndim = 1, .dists = {{.size = 8, .procs = 4}}},
    [SPARSE] = {.ndim = 1, .dists = {{.kind = DAP_DIST_LENGTHS, .size = 8, .procs = 4, .lengths = sparse}}},
    [CEILING] = {.ndim = 1, .dists = {{.kind = DAP_DIST_CEIL, .size = 5, .procs = 4}}},
    [EDGED] = {.ndim = 1,
               .dists = {{.size = 16, .procs = 4, .halo = 1, .boundary = {2, 1}, .periodic = true}}},
    [ROUND] = {.ndim = 1, .dists = {{.size = 16, .procs = 4, .halo = 1, .periodic = true, .wraps = true}}},
    [HOLLOW] =
        {.ndim = 1,
         .dists = {{.kind = DAP_DIST_LENGTHS, .size = 16, .procs = 4, .lengths = hollow, .periodic = true}},
         .version = "0.9.0"},
    [DRAFT] = {.ndim = 1, .dists = {{.size = 16, .procs = 4, .halo = 1}}, .version = "0.0.1"},
    [CYCLIC] = {.ndim = 1, .dists = {BLOCKS(17, 3, 4)}},
    [ROTATED] =
        {.ndim = 1,
         .dists = {{.kind = DAP_DIST_CYCLIC, .size = 17, .procs = 4, .block_size = 3, .first_owner = 2}}},
    [SINGLES] = {.ndim = 1, .dists = {BLOCKS(8, 1, 4)}},
    [SHORT] = {.ndim = 1, .dists = {BLOCKS(3, 10, 4)}},
    [HPF] = {.ndim = 1, .dists = {BLOCKS(5, 2, 4)}},
    [LISTS] = {.ndim = 1, .dists = {LISTED(8, 4, lists_lengths, lists, false)}},
    [DISJOINT] = {.ndim = 1, .dists = {LISTED(8, 4, twos, disjoint, true)}},
    [COPIES] = {.ndim = 1, .dists = {{.kind = DAP_DIST_REPLICATED, .size = 3, .procs = 4}}},
    [GRID] = {.ndim = 2, .dists = {{.size = 8, .procs = 2, .halo = 1}, BLOCKS(8, 2, 2)}},
    [TURNED] = {.ndim = 2, .dists = {{.size = 8, .procs = 2, .halo = 1}, BLOCKS(8, 2, 2)}, .ranks = turned},
    [ROUND_GRID] = {.ndim = 2,
                    .dists = {{.size = 8, .procs = 2, .halo = 1, .periodic = true, .wraps = true},
                              {.size = 4, .procs = 2}}},
    [SHARED] = {.ndim = 2, .dists = {LISTED(6, 2, shared_lengths, shared, false), {.size = 4, .procs = 2}}},
    [SHARED_TURNED] = {.ndim = 2,
                       .dists = {LISTED(6, 2, shared_lengths, shared, false), {.size = 4, .procs = 2}},
                       .ranks = turned},
    [ENDED] = {.ndim = 2,
               .dists = {{.kind = DAP_DIST_LENGTHS, .size = 4, .procs = 2, .lengths = ended},
                         {.size = 4, .procs = 2}}},
    [REPEATED] = {.ndim = 2,
                  .dists = {LISTED(3, 1, repeated_lengths, repeated, false), {.size = 8, .procs = 4}}},
    [DISJOINT_GRID] = {.ndim = 2,
                       .dists = {LISTED(4, 2, twos, rows_of, true),
                                 LISTED(3, 2, columns_lengths, columns_of, true)}},
    [UNCUT] = {.ndim = 2,
               .dists = {{.size = 3, .procs = 1}, BLOCKS(16, 2, 4)},
               .version = "0.10.0",
               .is_uncut = true},
    [UNCUT_IN_0_9] = {.ndim = 2,
                      .dists = {{.size = 3, .procs = 1}, BLOCKS(16, 2, 4)},
                      .version = "0.9.0",
                      .is_uncut = true},
    [UNCUT_IN_DRAFT] = {.ndim = 2,
                        .dists = {{.size = 3, .procs = 1}, BLOCKS(16, 2, 4)},
                        .version = "0.0.1",
                        .is_uncut = true},
};

/* The dictionaries in another version than dap_array_init() takes. */
static void spell(rule_base base, const dap_layout *layout, int rank, dap_array *array)
{
  const char *version = bases[base].version;
  int coords[2];
  dap_error err = {0};
  if (!version) return;
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < bases[base].ndim; k++)
    EXPECT_OK(dap_layout_dim(layout, version, k, coords[k], &array->dims[k], &err), &err);
  snprintf(array->version, sizeof array->version, "%s", version);
  if (!bases[base].is_uncut) return;
  array->dims[0] = (dap_dim){0};
  if (strcmp(version, "0.10.0") != 0) array->dims[0] = (dap_dim){.dist_type = 'n', .size = array->shape[0]};
}

void make_rule_parts(rule_base base, rule_parts *parts)
{
  dap_error err = {0};
  dap_layout *plain = NULL;
  *parts = (rule_parts){0};
  EXPECT_OK(dap_layout_create(bases[base].ndim, bases[base].dists, &plain, &err), &err);
  parts->layout = plain;
  if (bases[base].ranks) {
    EXPECT_OK(dap_layout_reorder(plain, bases[base].ranks, &parts->layout, &err), &err);
    dap_layout_destroy(&plain);
  }
  for (int rank = 0; rank < FOUR; rank++) {
    dap_array *right = &parts->right[rank];
    EXPECT_OK(dap_array_init(right, parts->layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
    spell(base, parts->layout, rank, right);
    parts->given[rank] = *right;
    if (!right->data)
      parts->given[rank].data = parts; /* for rows that give an empty one elements: any memory */
  }
}

void release_rule_parts(rule_parts *parts)
{
  for (int rank = 0; rank < FOUR; rank++) dap_array_release(&parts->right[rank]);
  dap_layout_destroy(&parts->layout);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  const rule_parts *parts = context;
  (void)err;
  *array = parts->given[rank];
  return DAP_OK;
}

static int rule_of(const rule_row *row)
{
  return row->broken == NO_RULE ? 0 : row->broken ? row->broken : row->rule;
}

/* The verdict on the four processes, which are told the rank that is to be blamed. */
static void expect_verdict(const rule_row *row, dap_status s, const dap_error *err, int blamed)
{
  char begin[32];
  snprintf(begin, sizeof begin, "rank %d: ", blamed);
  expect_same_error(rules_comm(), s, err, row->want, row->parts ? row->parts : "");
  if (!row->want || !s) return;
  EXPECT_MSG(!strncmp(err->text, begin, strlen(begin)), "\"%s\" does not begin with \"%s\"", err->text,
             begin);
  EXPECT_INT(err->rank, blamed);
  expect_rule(err, rule_of(row));
}

/* dap_layout_join() of the same parts: the same status and text, or an equal layout. */
static void expect_joined(const rule_row *row, const rule_parts *parts, dap_status s, const dap_error *err,
                          const dap_layout *got)
{
  rule_parts copy = *parts;
  const dap_join join = {.nprocs = FOUR, .context = &copy, .part = part_of};
  dap_error alone = {0};
  dap_layout *joined = NULL;
  const dap_status t = dap_layout_join(&join, &joined, &alone);
  EXPECT_MSG(t == s, "joined: %s \"%s\", not %s", dap_status_name(t), alone.text, dap_status_name(s));
  if (s && t && !row->other_witness)
    EXPECT_MSG(!strcmp(alone.text, err->text) && alone.rank == err->rank, "joined: \"%s\", not \"%s\"",
               alone.text, err->text);
  if (s && t) EXPECT_INT(alone.rule, err->rule);
  if (!s && !t) EXPECT(dap_layout_is_equal(joined, got));
  dap_layout_destroy(&joined);
}

static void check_on_four(const rule_row *row, const rule_parts *parts, int blamed)
{
  const int me = rules_rank();
  dap_error err = {0};
  dap_layout *got = parts->layout; /* anything but NULL */
  const dap_status s = dap_layout_assemble(rules_comm(), &parts->given[me], &got, &err);
  expect_verdict(row, s, &err, blamed);
  EXPECT((got == NULL) == (s != DAP_OK));
  if (!s) EXPECT(is_as_read(got, parts->layout) != row->moved);
  expect_joined(row, parts, s, &err, got);
  if (got != parts->layout) dap_layout_destroy(&got);
  /* Once more; only two of them want the text. */
  EXPECT_INT(dap_layout_assemble(rules_comm(), &parts->given[me], &got, me % 2 ? NULL : &err), row->want);
  if (row->want && me % 2 == 0) EXPECT(err.rank == blamed && err.rule == rule_of(row));
  dap_layout_destroy(&got);
}

static void check_culprit(const rule_row *row, int who)
{
  rule_parts parts;
  TEST_CASE("rule %d: %s, by rank %d", row->rule, row->name, who);
  make_rule_parts(row->base, &parts);
  for (int rank = 0; rank < FOUR; rank++) {
    if (who == EVERY || who == rank) apply_changes(&parts.given[rank], row->changes);
    if (row->also == RANK(rank)) apply_changes(&parts.given[rank], row->more);
  }
  if (rules_rank() >= 0) check_on_four(row, &parts, row->blamed ? row->blamed - 1 : who == EVERY ? 0 : who);
  release_rule_parts(&parts);
}

void check_rule_row(const rule_row *row)
{
  for (int who = 0; who < FOUR; who++)
    if (row->who == EACH) check_culprit(row, who);
  if (row->who != EACH) check_culprit(row, row->who);
  SETTLE();
}
