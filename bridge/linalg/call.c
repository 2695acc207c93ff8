/* The frame of every function: it checks the arguments, takes views, and ends them. */
#include "factors_impl.h"

#include <dapbridge/eigh_backend.h>
#include <dapbridge/log.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

static const dap_linalg_argument *given(const dap_linalg_call *call, int i)
{
  return &call->arguments.operands[i];
}

/* ---- arguments ------------------------------------------------------------------------------------ */

static void clear(dap_linalg_call *call)
{
  call->report = call->options.report ? call->options.report : &call->own;
  *call->report = (dap_linalg_report){0};
  for (int i = 0; i < DAP_LINALG_USES && given(call, i)->name; i++) {
    dap_linalg_use *use = &call->report->uses[i];
    (void)snprintf(use->name, sizeof use->name, "%s", given(call, i)->name);
    const bool is_given = given(call, i)->operand.layout || given(call, i)->operand.local;
    (void)snprintf(use->reason, sizeof use->reason, "%s", is_given ? "not looked at" : "not given");
    call->report->count = i + 1;
  }
}

static uint64_t bits_of(double number)
{
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

/* Tells backends apart by their names, because their addresses differ between processes. */
static uint64_t bits_of_backend(const dap_eigh_backend *backend)
{
  if (!backend) return 0;
  if (backend->version != DAP_EIGH_BACKEND_VERSION) return (uint64_t)backend->version; /* is refused later */
  return dap_hash(0, backend->name, strlen(backend->name));
}

/* Compares what must be the same on every process: choices, options, the operands given, and every layout. */
static dap_status compare(dap_linalg_call *call)
{
  enum { MOST = 13 + DAP_LINALG_CHOICES + 3 * DAP_LINALG_USES };
  uint64_t words[MOST];
  const char *names[MOST];
  char texts[3 * DAP_LINALG_USES][40];
  int n = 0;
  names[n] = "factors: which ones",
  words[n++] = call->arguments.factors ? call->arguments.factors->number : 0;
  names[n] = "options: sharing", words[n++] = (uint64_t)call->options.sharing;
  names[n] = "options: keep", words[n++] = call->options.keep;
  names[n] = "options: block_size", words[n++] = (uint64_t)call->options.block_size;
  names[n] = "options: eigh.solver", words[n++] = (uint64_t)call->options.eigh.solver;
  names[n] = "options: eigh.range", words[n++] = (uint64_t)call->options.eigh.range;
  names[n] = "options: eigh.start", words[n++] = (uint64_t)call->options.eigh.start;
  names[n] = "options: eigh.stop", words[n++] = (uint64_t)call->options.eigh.stop;
  names[n] = "options: eigh.above", words[n++] = bits_of(call->options.eigh.above);
  names[n] = "options: eigh.up_to", words[n++] = bits_of(call->options.eigh.up_to);
  names[n] = "options: eigh.backend", words[n++] = bits_of_backend(call->options.eigh.backend);
  names[n] = "options: svd.solver", words[n++] = (uint64_t)call->options.svd.solver;
  for (int i = 0; i < DAP_LINALG_CHOICES && call->arguments.choices[i].name; i++)
    names[n] = call->arguments.choices[i].name, words[n++] = (uint64_t)call->arguments.choices[i].value;
  for (int i = 0, t = 0; i < call->report->count; i++) {
    static const char *const whats[3] = {"type", "role", "layout"};
    const dap_darray *o = &given(call, i)->operand;
    const uint64_t each[3] = {o->local ? (uint64_t)o->local->dtype : 0, (uint64_t)given(call, i)->role,
                              o->layout ? dap_layout_hash(o->layout) : 0};
    for (int k = 0; k < 3; k++, t++) {
      (void)snprintf(texts[t], sizeof texts[t], "%s: its %s", given(call, i)->name, whats[k]);
      names[n] = texts[t], words[n++] = each[k];
    }
  }
  return dap_agree_words(call->comm, words, names, n, call->err);
}

/* Decides which operands are kept, and which results are in the first operand's buffer. Workspace is kept
 * with options.keep, or if its array is read-only on any process. A result must be in that buffer on all
 * processes or on none. */
static dap_status decide_buffers(dap_linalg_call *call)
{
  enum { KEEP, IN_PLACE, APART, KINDS };
  unsigned bits[KINDS] = {0};
  for (int i = 0; i < call->report->count; i++) {
    const dap_linalg_argument *operand = given(call, i);
    call->given[i] = operand->operand.local;
    if (!call->given[i]) continue;
    const bool keep = call->options.keep || operand->operand.local->readonly;
    if (operand->role == DAP_LINALG_WORK && keep) bits[KEEP] |= 1U << i;
    if (!operand->in_place || dap_array_count(operand->operand.local) == 0) continue;
    const bool in_place = dap_linalg_is_same_buffer(operand, given(call, 0));
    bits[in_place ? IN_PLACE : APART] |= 1U << i;
  }
  DAP_TRY(dap_linalg_reduce(call, bits, KINDS, MPI_UNSIGNED, MPI_BOR));
  for (int i = 0; i < call->report->count; i++) {
    DAP_REQUIRE(!(bits[IN_PLACE] & bits[APART] & 1U << i), call->err, DAP_ERR_ARG,
                "%s is in %s's buffer on some processes only", given(call, i)->name, given(call, 0)->name);
    call->kept[i] = bits[KEEP] >> i & 1U;
    call->in_place[i] = bits[IN_PLACE] >> i & 1U;
  }
  return DAP_OK;
}

/* Checks the arguments on each process, and that they are the same on all. Layouts then are the same, and so
 * is all that follows from extents. Collective. */
static dap_status begin(dap_linalg_call *call)
{
  MPI_Comm comm = call->comm;
  dap_status status = DAP_OK;
  clear(call);
  DAP_TRY(dap_agree_call(comm, call->arguments.function, DAP_OK, call->err)); /* checks comm */
  if (MPI_Comm_rank(comm, &call->rank) != MPI_SUCCESS || MPI_Comm_size(comm, &call->nprocs) != MPI_SUCCESS)
    status = dap_fail(call->err, DAP_ERR_LIBRARY, "MPI_Comm_rank or MPI_Comm_size failed");
  if (!status) status = dap_linalg_check(call, call->err);
  DAP_TRY(dap_agree(comm, status, call->err));
  DAP_TRY(compare(call));
  status = dap_linalg_check_types(call, call->err); /* the same on every process */
  if (status) return dap_agree(comm, status, call->err);
  DAP_TRY(decide_buffers(call));
  call->lib = dap_linalg_routines_of(given(call, 0)->operand.local->dtype);
  call->begun = true;
  call->is_logged = dap_log_is_on();
  if (!call->is_logged) return DAP_OK;
  call->since = MPI_Wtime();
  dap_log("%s begins", call->arguments.function);
  return DAP_OK;
}

/* ---- views --------------------------------------------------------------------------------------- */

static void report_view(dap_linalg_call *call, int i)
{
  dap_linalg_use *use = &call->report->uses[i];
  const dap_scalapack_matrix *view = &call->views[i];
  use->shared = view->shared;
  if (call->slow[i] && !view->shared && !call->kept[i]) return; /* check_speed() has set the reason */
  (void)snprintf(use->reason, sizeof use->reason, "%s",
                 call->kept[i] && call->options.keep ? "to keep its values: options.keep"
                 : call->kept[i]                     ? "to keep its values: its buffer is read-only"
                                                     : view->reason);
}

/* Ends the view of operand `i`, which is shared, if it is faster to move it. Collective. */
static dap_status check_speed(dap_linalg_call *call, int i)
{
  dap_scalapack_matrix *view = &call->views[i];
  dap_linalg_use *use = &call->report->uses[i];
  const int64_t size[2] = {view->m, view->n}, block[2] = {view->desc[DAP_MB], view->desc[DAP_NB]};
  const dap_status status = dap_matrix_check_speed(size, block, call->nprocs, call->err);
  if (!status) return DAP_OK;
  call->slow[i] = true;
  (void)snprintf(use->reason, sizeof use->reason, "%s", call->err->text);
  DAP_TRY(dap_scalapack_discard(view, call->err));
  return status;
}

static dap_status take(dap_linalg_call *call, int i, dap_sharing sharing,
                       const dap_scalapack_options *options, dap_scalapack_matrix **view)
{
  dap_scalapack_options o = options ? *options : (dap_scalapack_options){0};
  const dap_linalg_role role = given(call, i)->role;
  const dap_access access = role == DAP_LINALG_RESULT   ? DAP_WRITE
                            : role == DAP_LINALG_UPDATE ? DAP_READ_WRITE
                                                        : DAP_READ;
  *view = NULL;
  if (given(call, i)->own) {
    sharing = DAP_SHARE_OR_FAIL;
  } else if (call->kept[i]) {
    DAP_REQUIRE(sharing != DAP_SHARE_OR_FAIL, call->err, DAP_ERR_SHARE,
                "%s is workspace and must keep its values, which takes a copy", given(call, i)->name);
    sharing = DAP_SHARE_NEVER;
  }
  o.sharing = sharing;
  if (!o.aligned_with) o.block_size[0] = o.block_size[1] = call->options.block_size;
  dap_linalg_choose_blocks(call, i, &o);
  DAP_TRY(dap_scalapack_get(call->comm, given(call, i)->operand, access, &o, &call->views[i], call->err));
  const bool is_attempt = sharing == DAP_SHARE_OR_FAIL && call->options.sharing == DAP_SHARE_IF_POSSIBLE;
  if (is_attempt && o.needs.factorised && !o.block_size[0]) DAP_TRY(check_speed(call, i));
  call->order[call->count++] = i;
  report_view(call, i);
  *view = &call->views[i];
  dap_linalg_headroom_count(call, *view);
  return DAP_OK;
}

dap_status dap_linalg_view(dap_linalg_call *call, int i, const dap_scalapack_options *options,
                           dap_scalapack_matrix **view)
{
  return take(call, i, call->options.sharing, options, view);
}

dap_status dap_linalg_share(dap_linalg_call *call, int i, const dap_scalapack_options *options,
                            dap_scalapack_matrix **view)
{
  DAP_REQUIRE(call->options.sharing != DAP_SHARE_NEVER || given(call, i)->own, call->err, DAP_ERR_SHARE,
              "a copy was asked for");
  return take(call, i, DAP_SHARE_OR_FAIL, options, view);
}

void dap_linalg_note(dap_linalg_call *call, int i, int64_t moved_bytes, const char *reason)
{
  dap_linalg_use *use = &call->report->uses[i];
  use->moved_bytes += moved_bytes;
  if (reason) (void)snprintf(use->reason, sizeof use->reason, "%s", reason);
}

/* ---- the frame ----------------------------------------------------------------------------------- */

/* Ends the view of operand `i`. Collective; the status is the same on every process. */
static dap_status end_view(dap_linalg_call *call, int i, bool write, dap_error *err)
{
  dap_scalapack_matrix *view = &call->views[i];
  const dap_status status = write ? dap_scalapack_restore(view, err) : dap_scalapack_discard(view, err);
  call->report->uses[i].moved_bytes += view->moved_bytes;
  return status;
}

dap_status dap_linalg_replace(dap_linalg_call *call, int i, dap_darray array,
                              const dap_scalapack_options *options, dap_scalapack_matrix **view)
{
  dap_linalg_argument *operand = &call->arguments.operands[i];
  call->count--;
  DAP_TRY(end_view(call, i, false, call->err));
  const dap_linalg_use use = call->report->uses[i];
  operand->operand = array;
  operand->own = true;
  const dap_status status = take(call, i, DAP_SHARE_OR_FAIL, options, view);
  call->report->uses[i] = use;
  return status;
}

/* Agrees on `status`. Restores all views in reverse order, or discards them after an error. Frees the
 * workspace. Collective. */
static dap_status end(dap_linalg_call *call, dap_status status)
{
  if (call->begun) status = dap_agree(call->comm, status, call->err);
  while (call->count > 0) {
    const dap_status ended = end_view(call, call->order[--call->count], !status, status ? NULL : call->err);
    if (!status) status = ended;
  }
  dap_linalg_work_free(call, 0);
  if (call->is_logged)
    dap_log("%s ended after %.2f s: %s", call->arguments.function, MPI_Wtime() - call->since,
            dap_status_name(status));
  return status;
}

/* LAPACK's ieeeck, NaN and infinity raise floating-point exceptions, which end a program that traps them. So
 * the caller's traps and flags are put aside. */
dap_status dap_linalg_run(MPI_Comm comm, const dap_linalg_arguments *arguments,
                          const dap_linalg_options *options, dap_error *err)
{
  dap_linalg_call call = {.comm = comm, .arguments = *arguments, .err = &call.text};
  fenv_t environment;
  (void)feholdexcept(&environment);
  if (options) call.options = *options;
  dap_status status = begin(&call);
  if (!status) status = arguments->work(&call);
  status = end(&call, status);
  if (status && err) *err = call.text;
  (void)fesetenv(&environment);
  return status;
}
