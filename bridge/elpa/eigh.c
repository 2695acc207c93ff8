/* Solves whole problems by dap_linalg_eigh() and dap_linalg_eigh_generalized(), with ELPA as the backend. */
#include "elpa_impl.h"

/* Returns the number of eigenvalues, which is that of W's elements if A has at least this many. Otherwise W
 * does not fit, which linalg refuses. */
static int64_t count_of(dap_darray a, dap_darray w)
{
  if (dap_layout_check(a.layout, NULL) || dap_layout_check(w.layout, NULL)) return 0;
  const int64_t n = dap_layout_size(a.layout, 0), k = dap_layout_size(w.layout, 0);
  return k > n ? n : k < 1 && n > 0 ? 1 : k;
}

/* Copies a report. linalg.h has the use of B last. */
static void take_report(const dap_linalg_report *from, dap_elpa_report *to)
{
  static const int plain[] = {0, 1, 2}, generalized[] = {0, 3, 1, 2};
  to->count = from->count;
  to->info = from->info;
  for (int i = 0; i < to->count; i++) to->uses[i] = from->uses[to->count > 3 ? generalized[i] : plain[i]];
}

/* `b` is NULL, or B of a generalized problem. */
static dap_status run(MPI_Comm comm, char uplo, dap_darray a, const dap_darray *b, dap_darray w, dap_darray z,
                      const dap_elpa_solve_options *options, dap_error *err)
{
  const dap_elpa_solve_options o = options ? *options : (dap_elpa_solve_options){0};
  dap_elpa_report own, *report = o.report ? o.report : &own;
  dap_linalg_report found = {0};
  const dap_elpa_wish wish = {o.stages, report};
  dap_eigh_backend backend = *dap_elpa_backend(o.stages);
  const dap_linalg_options as = {
      .sharing = o.sharing,
      .keep = o.keep,
      .block_size = o.block_size,
      .report = &found,
      .eigh = {DAP_EIGH_BACKEND, DAP_EIGH_BY_INDEX, .stop = count_of(a, w), .backend = &backend}};
  backend.data = &wish;
  *report = (dap_elpa_report){.stages = o.stages ? o.stages : 1};
  const dap_status status = b ? dap_linalg_eigh_generalized(comm, uplo, a, *b, w, z, &as, err)
                              : dap_linalg_eigh(comm, uplo, a, w, z, &as, err);
  take_report(&found, report);
  return status;
}

dap_status dap_elpa_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                         const dap_elpa_solve_options *options, dap_error *err)
{
  return run(comm, uplo, a, NULL, w, z, options, err);
}

dap_status dap_elpa_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b, dap_darray w,
                                     dap_darray z, const dap_elpa_solve_options *options, dap_error *err)
{
  return run(comm, uplo, a, &b, w, z, options, err);
}
