/* Defines the valid arrays of four processes, and runs the rows, which change them. */
#include "random_array.h"
#include "test_rules.h"

#include <dapbridge/join.h>
#include <dapbridge/parse.h>

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

static const struct {
  const char *layout;
  const char *version; /* NULL: the version of dap_array_init() */
  bool is_uncut;       /* the first axis has the version's form of an undistributed axis */
} bases[RULE_BASES] = {
    [PADDED] = {"16 on 4: b(halo 1)", NULL, false},
    [PLAIN] = {"8 on 4: b", NULL, false},
    [SPARSE] = {"8: b[5,0,3,0]", NULL, false},
    [CEILING] = {"5 on 4: b(ceil)", NULL, false},
    [EDGED] = {"16 on 4: b(halo 1, boundary 2 1, periodic)", NULL, false},
    [ROUND] = {"16 on 4: b(halo 1, wraps, periodic)", NULL, false},
    [HOLLOW] = {"16: b(lengths 0 6 5 5, periodic)", "0.9.0", false},
    [DRAFT] = {"16 on 4: b(halo 1)", "0.0.1", false},
    [CYCLIC] = {"17 on 4: c(3)", NULL, false},
    [ROTATED] = {"17 on 4: c(3, first 2)", NULL, false},
    [SINGLES] = {"8 on 4: c", NULL, false},
    [SHORT] = {"3 on 4: c(10)", NULL, false},
    [HPF] = {"5 on 4: c(2)", NULL, false},
    [LISTS] = {"8: u[0,1,2][2,3,4][5,6,7,0][7,3]", NULL, false},
    [DISJOINT] = {"8: u[0,4][5,1][2,6][7,3](one to one)", NULL, false},
    [COPIES] = {"3 on 4: r", NULL, false},
    [GRID] = {"8x8 on 2x2: b(halo 1), c(2)", NULL, false},
    [TURNED] = {"8x8 on 2x2: b(halo 1), c(2); ranks 2 0 3 1", NULL, false},
    [ROUND_GRID] = {"8x4 on 2x2: b(halo 1, wraps, periodic), b", NULL, false},
    [SHARED] = {"6x4 on 2x2: u[0,2,4,5][1,3,5], b", NULL, false},
    [SHARED_TURNED] = {"6x4 on 2x2: u[0,2,4,5][1,3,5], b; ranks 2 0 3 1", NULL, false},
    [ENDED] = {"4x4 on 2x2: b[4,0], b", NULL, false},
    [REPEATED] = {"3x8 on 1x4: u[2,0,1], b", NULL, false},
    [DISJOINT_GRID] = {"4x3: u[2,0][1,3](one to one), u[1,0][2](one to one)", NULL, false},
    [UNCUT] = {"3x16 on 1x4: b, c(2)", "0.10.0", true},
    [UNCUT_IN_0_9] = {"3x16 on 1x4: b, c(2)", "0.9.0", true},
    [UNCUT_IN_DRAFT] = {"3x16 on 1x4: b, c(2)", "0.0.1", true},
};

/* Rewrites the dictionaries in another version than dap_array_init() uses. */
static void spell(rule_base base, const dap_layout *layout, int rank, dap_array *array)
{
  const char *version = bases[base].version;
  int coords[2];
  dap_error err = {0};
  if (!version) return;
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    EXPECT_OK(dap_layout_dim(layout, version, k, coords[k], &array->dims[k], &err), &err);
  snprintf(array->version, sizeof array->version, "%s", version);
  if (!bases[base].is_uncut) return;
  array->dims[0] = (dap_dim){0};
  if (strcmp(version, "0.10.0") != 0) array->dims[0] = (dap_dim){.dist_type = 'n', .size = array->shape[0]};
}

void make_rule_parts(rule_base base, rule_parts *parts)
{
  dap_error err = {0};
  *parts = (rule_parts){0};
  EXPECT_OK(dap_layout_parse(bases[base].layout, &parts->layout, &err), &err);
  for (int rank = 0; rank < FOUR; rank++) {
    dap_array *right = &parts->right[rank];
    EXPECT_OK(dap_array_init(right, parts->layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
    spell(base, parts->layout, rank, right);
    parts->given[rank] = *right;
    if (!right->data)
      parts->given[rank].data = parts; /* any address, for rows that give elements to an empty array */
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

/* Checks the result on the four processes, which know the rank to be blamed. */
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

/* Checks that dap_layout_join() of the same parts returns the same status and text, or an equal layout. */
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
  dap_layout *got = parts->layout; /* any value except NULL */
  const dap_status s = dap_layout_assemble(rules_comm(), &parts->given[me], &got, &err);
  expect_verdict(row, s, &err, blamed);
  EXPECT((got == NULL) == (s != DAP_OK));
  if (!s) EXPECT(is_as_read(got, parts->layout) != row->moved);
  expect_joined(row, parts, s, &err, got);
  if (got != parts->layout) dap_layout_destroy(&got);
  /* Assembles once more, where only half of the processes request the text. */
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
    if (who == EVERY || who == rank) change_array(&parts.given[rank], row->changes);
    if (row->also == RANK(rank)) change_array(&parts.given[rank], row->more);
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
