/* Lets test_edges_eigh.c of tests/linalg call dap_linalg_eigh() with ELPA in one stage or two, and ELPA's
 * own functions. */
#include "eigh_test.h"
#include "elpa_test.h"

const dap_eigh_backend *eigh_backend(int number)
{
  return dap_elpa_backend(number % 3);
}

bool eigh_is_backends(const element_type *type)
{
  return has_type(type);
}

int eigh_shares(const edge *e, const drawn *a)
{
  if (!has_type(e->type) || e->options.sharing == DAP_SHARE_NEVER) return edge_shares(e, a);
  return shares(a->source, &a->held, a->grid);
}

/* Checks the stages and the grid in ELPA's report. Two stages may have become one, because two stages make
 * vectors of matrices of low rank that are not orthogonal. */
static void check_report(const dap_elpa_report *report, int64_t n, int stages)
{
  const int64_t width = (31 / report->block_size + 1) * report->block_size; /* of ELPA's band */
  EXPECT(report->stages == 1 || (report->stages == 2 && stages == 2 && n > width + 1));
  EXPECT(report->grid[0] * report->grid[1] >= 1 && report->grid[0] * report->grid[1] <= test_nprocs());
  for (int k = 0; k < 2; k++)
    EXPECT_MSG((report->grid[k] - 1) * report->block_size < n,
               "blocks of %d on %d x %d processes leave some empty", (int)report->block_size, report->grid[0],
               report->grid[1]);
}

static dap_status by_elpa(edge *e, int stages, char uplo, const drawn *a, const drawn *b, const drawn *w,
                          const drawn *z)
{
  const dap_darray of_a = matrix_operand(&a->held), of_w = matrix_operand(&w->held),
                   of_z = z ? matrix_operand(&z->held) : (dap_darray){0};
  dap_elpa_report report = {0};
  const dap_elpa_solve_options options = {
      .sharing = e->options.sharing, .keep = e->options.keep, .stages = stages, .report = &report};
  const dap_status s = b ? dap_elpa_eigh_generalized(MPI_COMM_WORLD, uplo, of_a, matrix_operand(&b->held),
                                                     of_w, of_z, &options, &e->err)
                         : dap_elpa_eigh(MPI_COMM_WORLD, uplo, of_a, of_w, of_z, &options, &e->err);
  if (!s && a->rows > 0) check_report(&report, a->rows, stages);
  e->report = (dap_linalg_report){
      .count = report.count, .info = report.info, .solver = DAP_EIGH_BACKEND, .found = w->rows};
  static const int places[2][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}}; /* linalg.h has B at the end */
  for (int k = 0; k < report.count; k++) e->report.uses[k] = report.uses[places[b != NULL][k]];
  return s;
}

/* ELPA's own functions compute the smallest eigenvalues. No block size is asked for: ELPA refuses blocks
 * that leave processes empty. */
dap_status eigh_call(edge *e, char uplo, const drawn *a, const drawn *b, const drawn *w, const drawn *z)
{
  const int stages = (int)test_random_int(&e->random, 0, 2);
  dap_eigh_options *o = &e->options.eigh;
  const bool is_first =
      o->range == DAP_EIGH_ALL || (o->range == DAP_EIGH_BY_INDEX && o->start == 0 && o->stop > 0);
  o->solver = DAP_EIGH_AUTO;
  e->options.block_size = 0;
  if (is_first && has_type(e->type) && edge_one_in(e, 2)) {
    edge_say(e, ", ELPA's own, %d stages", stages);
    return by_elpa(e, stages, uplo, a, b, w, z);
  }
  o->backend = dap_elpa_backend(stages);
  return eigh_by_linalg(e, uplo, a, b, w, z);
}
