/* Eigenvalues and eigenvectors.
 *
 * With op 'T' the matrix is A^T = conj(A): the same eigenvalues, conjugate eigenvectors, the other triangle.
 * ELPA writes vectors as columns, so Z is always seen with op 'N'. */
#include "elpa_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* By way of a band only if that is narrower than the matrix: else nothing is gained, and with complex
 * elements and n one more than the band's width ELPA's vectors are wrong on several process rows (2022.11).
 * The width is that of src/elpa2/elpa2_template.F90, intermediate_bandwidth. */
static void choose_stages(const dap_elpa_call *call)
{
  const int64_t block = call->views[call->order[0]].block_size, width = (31 / block + 1) * block;
  if (call->size <= width + 1) call->report->stages = 1;
}

static void unscale(const dap_elpa_call *call)
{
  for (int64_t k = 0; k < call->size && call->exponent && call->values; k++) {
    if (call->lib->real == DAP_F4)
      ((float *)call->values)[k] = scalbnf(((float *)call->values)[k], call->exponent);
    else
      ((double *)call->values)[k] = scalbn(((double *)call->values)[k], call->exponent);
  }
}

static dap_status allocate(dap_elpa_call *call, dap_error *err)
{
  if (!call->views[DAP_ELPA_A].matrix.data) return DAP_OK;
  call->values = calloc((size_t)call->size, sizeof(double));
  DAP_REQUIRE(call->values, err, DAP_ERR_NOMEM, "no memory for eigenvalues");
  return DAP_OK;
}

static dap_status work(dap_elpa_call *call)
{
  const bool has_b = call->operands[DAP_ELPA_B].given, has_z = call->operands[DAP_ELPA_Z].given;
  if (call->size == 0) return DAP_OK;
  DAP_TRY(dap_elpa_take(call));
  choose_stages(call);
  DAP_TRY(dap_elpa_finite(call, DAP_ELPA_A));
  if (has_b) DAP_TRY(dap_elpa_finite(call, DAP_ELPA_B));
  DAP_TRY(dap_elpa_mirror(call, DAP_ELPA_A));
  DAP_TRY(dap_agree(call->comm, allocate(call, call->err), call->err));
  if (has_b) DAP_TRY(dap_elpa_reduce(call));
  DAP_TRY(dap_elpa_scale(call));
  DAP_TRY(call->report->stages == 2 && has_z ? dap_elpa_solve_in_two(call) : dap_elpa_solve(call));
  if (has_b && has_z) dap_elpa_back(call);
  if (has_z && call->views[DAP_ELPA_A].matrix.op == 'T') dap_elpa_conjugate(call, DAP_ELPA_Z);
  unscale(call);
  return dap_elpa_store_values(call);
}

static void start_report(dap_elpa_call *call)
{
  call->report = call->options.report ? call->options.report : &call->own;
  *call->report = (dap_elpa_report){.stages = call->options.stages ? call->options.stages : 1};
  for (int i = 0; i < DAP_ELPA_USES; i++) {
    dap_elpa_operand *o = &call->operands[i];
    if (!o->name) continue;
    o->use = &call->report->uses[call->report->count++];
    (void)snprintf(o->use->name, sizeof o->use->name, "%s", o->name);
    (void)snprintf(o->use->reason, sizeof o->use->reason, "%s", o->given ? "not looked at" : "not given");
  }
}

static dap_status run(dap_elpa_call *call, const char *function, const dap_elpa_solve_options *options,
                      dap_error *err)
{
  dap_error text = {.rank = -1};
  call->err = &text;
  if (options) call->options = *options;
  start_report(call);
  dap_status status = dap_elpa_check_call(call, function);
  if (!status) status = dap_elpa_end(call, work(call));
  if (status && err) *err = text;
  return status;
}

static dap_elpa_operand required(const char *name, dap_darray array)
{
  return (dap_elpa_operand){.name = name, .array = array, .given = true};
}

static dap_elpa_operand optional(const char *name, dap_darray array)
{
  return (dap_elpa_operand){.name = name, .array = array, .given = array.layout || array.local};
}

dap_status dap_elpa_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                         const dap_elpa_solve_options *options, dap_error *err)
{
  dap_elpa_call call = {.comm = comm, .uplo = uplo};
  call.operands[DAP_ELPA_A] = required("A", a);
  call.operands[DAP_ELPA_W] = required("W", w);
  call.operands[DAP_ELPA_Z] = optional("Z", z);
  return run(&call, __func__, options, err);
}

dap_status dap_elpa_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b, dap_darray w,
                                     dap_darray z, const dap_elpa_solve_options *options, dap_error *err)
{
  dap_elpa_call call = {.comm = comm, .uplo = uplo};
  call.operands[DAP_ELPA_A] = required("A", a);
  call.operands[DAP_ELPA_B] = required("B", b);
  call.operands[DAP_ELPA_W] = required("W", w);
  call.operands[DAP_ELPA_Z] = optional("Z", z);
  return run(&call, __func__, options, err);
}
