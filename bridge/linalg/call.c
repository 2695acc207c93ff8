/* Frames every function: checks the arguments, takes views, calls the function, and ends the views. */
#include "factors_impl.h"
#include "seconds.h"

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

uint64_t dap_linalg_bits_of(double number)
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

enum { COMPARED = 12 + DAP_LINALG_CHOICES + DAP_LINALG_WORDS + 2 * DAP_LINALG_SCALARS + 3 * DAP_LINALG_USES };

typedef struct comparison {
  uint64_t words[COMPARED];
  const char *names[COMPARED];
  char texts[COMPARED][40];
  int count;
} comparison;

static void add(comparison *c, const char *name, const char *what, uint64_t word)
{
  (void)snprintf(c->texts[c->count], sizeof c->texts[0], "%s%s", name, what);
  c->names[c->count] = c->texts[c->count];
  c->words[c->count++] = word;
}

/* Compares what must be the same on every process: choices, options, numbers, the operands given, and every
 * layout. */
static dap_status compare(dap_linalg_call *call)
{
  const dap_linalg_arguments *a = &call->arguments;
  const dap_linalg_options *o = &call->options;
  comparison c = {.count = 0};
  add(&c, "factors: ", "which ones", a->factors ? a->factors->number : 0);
  add(&c, "options: ", "sharing", (uint64_t)o->sharing);
  add(&c, "options: ", "keep", o->keep);
  add(&c, "options: ", "block_size", (uint64_t)o->block_size);
  add(&c, "options: ", "eigh.solver", (uint64_t)o->eigh.solver);
  add(&c, "options: ", "eigh.range", (uint64_t)o->eigh.range);
  add(&c, "options: ", "eigh.start", (uint64_t)o->eigh.start);
  add(&c, "options: ", "eigh.stop", (uint64_t)o->eigh.stop);
  add(&c, "options: ", "eigh.above", dap_linalg_bits_of(o->eigh.above));
  add(&c, "options: ", "eigh.up_to", dap_linalg_bits_of(o->eigh.up_to));
  add(&c, "options: ", "eigh.backend", bits_of_backend(o->eigh.backend));
  add(&c, "options: ", "svd.solver", (uint64_t)o->svd.solver);
  for (int i = 0; i < DAP_LINALG_CHOICES && a->choices[i].name; i++)
    add(&c, a->choices[i].name, "", (uint64_t)a->choices[i].value);
  for (int i = 0; i < DAP_LINALG_WORDS && a->words[i].name; i++)
    add(&c, a->words[i].name, "", a->words[i].bits);
  for (int i = 0; i < DAP_LINALG_SCALARS && a->scalars[i].name; i++)
    for (int k = 0; k < 2; k++)
      add(&c, a->scalars[i].name, k ? "[1]" : "[0]", dap_linalg_bits_of(a->scalars[i].parts[k]));
  for (int i = 0; i < call->report->count; i++) {
    const dap_darray *d = &a->operands[i].operand;
    add(&c, a->operands[i].name, ": its type", d->local ? (uint64_t)d->local->dtype : 0);
    add(&c, a->operands[i].name, ": its role", (uint64_t)a->operands[i].role);
    add(&c, a->operands[i].name, ": its layout", d->layout ? dap_layout_hash(d->layout) : 0);
  }
  return dap_agree_words(call->comm, c.words, c.names, c.count, call->err);
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
  status = dap_linalg_check_types(call); /* the same on every process */
  if (status) return dap_agree(comm, status, call->err);
  DAP_TRY(decide_buffers(call));
  call->begun = true;
  call->is_logged = dap_log_is_on();
  if (call->is_logged) {
    call->since = MPI_Wtime();
    dap_log("%s begins", call->arguments.function);
  }
  return dap_linalg_check_shapes(call);
}

/* ---- views --------------------------------------------------------------------------------------- */

/* Products and norms take blocks of any size. */
static bool is_factorisation(const char *routine)
{
  static const char *const others[] = {"gemm", "syrk", "herk", "trmm", "trsm", "lange", "laset"};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
    if (routine && strcmp(routine, others[k]) == 0) return false;
  return true;
}

/* Lets a copy that keeps values lie in the array's own blocks, if they are good and equal. Operands that lie
 * beside the array then lie beside the copy. */
static void take_own_blocks(const dap_linalg_call *call, int i, dap_scalapack_options *o)
{
  const dap_layout *layout = call->arguments.operands[i].operand.layout;
  int64_t own = 0;
  if (!call->kept[i] || o->aligned_with || o->block_size[0] || o->block_size[1]) return;
  for (int axis = 0; axis < dap_layout_ndim(layout); axis++) {
    dap_blocks blocks;
    dap_error ignored;
    if (dap_layout_blocks(layout, axis, &blocks, &ignored)) return;
    if (blocks.size && own && blocks.size != own) return;
    if (blocks.size) own = blocks.size;
  }
  const int64_t rows = dap_linalg_rows(call, i), cols = dap_linalg_cols(call, i);
  const bool reach_all = own <= (rows < cols ? rows : cols) / call->nprocs;
  if (o->needs.most_block && own > o->needs.most_block) return;
  if (own >= DAP_FAST_BLOCK_LEAST && own <= DAP_FAST_BLOCK_MOST && reach_all)
    o->block_size[0] = o->block_size[1] = own;
}

/* Adds to *o whether operand `i` is factorised, and the blocks of a copy that keeps values.
 * dap_matrix_check_speed() decides which blocks are worth sharing. */
static void choose_blocks(const dap_linalg_call *call, int i, dap_scalapack_options *o)
{
  if (call->arguments.operands[i].own) return; /* it is shared as it lies */
  take_own_blocks(call, i, o);
  o->needs.factorised = !o->aligned_with && is_factorisation(o->routine);
}

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
  const dap_layout *layout = given(call, i)->operand.layout;
  const int64_t size[2] = {view->m, view->n};
  int64_t block[2] = {view->desc[DAP_MB], view->desc[DAP_NB]};
  for (int k = 0; k < 2; k++) {
    const int axis = view->op == 'N' ? k : 1 - k;
    if (axis >= dap_layout_ndim(layout) || dap_layout_procs(layout, axis) == 1) block[k] = 0;
  }
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
  choose_blocks(call, i, &o);
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
    dap_log("%s ended after %s: %s", call->arguments.function,
            dap_say_seconds(MPI_Wtime() - call->since).text, dap_status_name(status));
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
