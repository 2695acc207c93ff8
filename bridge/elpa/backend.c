/* Makes ELPA a backend of dap_linalg_eigh(), and chooses one stage or two. */
#include "elpa_impl.h"

#include <stdio.h>

static const dap_elpa_wish *wish_of(const dap_eigh_backend *backend)
{
  return backend->data;
}

static dap_status can(const dap_eigh_backend *backend, dap_dtype dtype, dap_error *err)
{
  const int stages = wish_of(backend)->stages;
  DAP_REQUIRE(stages >= 0 && stages <= 2, err, DAP_ERR_ARG, "stages is %d, not 1, 2 or 0", stages);
  return dap_elpa_can(dtype, err);
}

/* Returns 2 only if the band of two stages is narrower than the matrix. Otherwise nothing is gained. With
 * complex elements, and n one more than the band's width, ELPA's vectors are even wrong on several process
 * rows (2022.11). The width is that of src/elpa2/elpa2_template.F90, intermediate_bandwidth. */
static int choose_stages(int wanted, const dap_elpa_matrix *a)
{
  const int64_t block = a->block_size, width = (31 / block + 1) * block;
  return wanted == 2 && a->size > width + 1 ? 2 : 1;
}

static dap_status solve_attached(const dap_elpa_wish *wish, const dap_eigh_matrices *m,
                                 const dap_elpa_matrix *a, dap_error *err)
{
  dap_elpa_problem p = {
      .matrices = m, .a = a, .lib = dap_elpa_routines_of(m->dtype), .stages = choose_stages(wish->stages, a)};
  const dap_status status = dap_elpa_solve(&p, err);
  (void)snprintf(m->method, DAP_ERROR_TEXT, "ELPA, %d stage%s", p.stages, p.stages == 1 ? "" : "s");
  if (!wish->report) return status;
  wish->report->stages = p.stages;
  wish->report->block_size = a->block_size;
  for (int k = 0; k < 2; k++) wish->report->grid[k] = a->grid[k];
  return status;
}

static dap_status solve(const dap_eigh_backend *backend, const dap_eigh_matrices *m, dap_error *err)
{
  const dap_elpa_options options = {.vectors = m->z ? (int)m->count : 0};
  dap_elpa_matrix a = {.matrix = *m->a, .dtype = m->dtype};
  dap_status status = dap_elpa_attach(m->comm, &options, &a, err);
  if (!status) status = solve_attached(wish_of(backend), m, &a, err);
  const dap_status ended = dap_elpa_detach(m->comm, "dap_linalg_eigh", &a, status ? NULL : err);
  return status ? status : ended;
}

const dap_eigh_backend *dap_elpa_backend(int stages)
{
  static const dap_elpa_wish wishes[] = {{0}, {1, NULL}, {2, NULL}, {-1, NULL}};
  static const dap_eigh_backend backends[] = {
      {DAP_EIGH_BACKEND_VERSION, "ELPA", &wishes[0], can, solve},
      {DAP_EIGH_BACKEND_VERSION, "ELPA, 1 stage", &wishes[1], can, solve},
      {DAP_EIGH_BACKEND_VERSION, "ELPA, 2 stages", &wishes[2], can, solve},
      {DAP_EIGH_BACKEND_VERSION, "ELPA, no stages", &wishes[3], can, solve},
  };
  return &backends[stages >= 0 && stages <= 2 ? stages : 3];
}
