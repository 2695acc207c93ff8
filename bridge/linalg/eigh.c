/* Computes eigenvalues and eigenvectors of a Hermitian matrix, or of a pair of them. */
#include "eigh_impl.h"
#include "system_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { A = DAP_EIGH_A, W = DAP_EIGH_W, Z = DAP_EIGH_Z, B = DAP_EIGH_B };

/* By dap_eigh_solver. choose() takes one of these for DAP_EIGH_AUTO. A backend has its own name. */
static const struct {
  dap_eigh_algorithm *run;
  const char *name;
} algorithms[] = {[DAP_EIGH_EV] = {dap_linalg_eigh_ev, "QR iteration"},
                  [DAP_EIGH_EVD] = {dap_linalg_eigh_evd, "divide and conquer"},
                  [DAP_EIGH_EVR] = {dap_linalg_eigh_evr, "MRRR"},
                  [DAP_EIGH_BACKEND] = {dap_linalg_eigh_backend, NULL}};

/* ---- the options ------------------------------------------------------------------------------------ */

/* The options are the same on every process. */
static dap_status check_options(dap_linalg_call *call, int64_t n)
{
  const dap_eigh_options *o = &call->options.eigh;
  DAP_REQUIRE(o->solver >= DAP_EIGH_AUTO && o->solver <= DAP_EIGH_BACKEND, call->err, DAP_ERR_ARG,
              "options: eigh.solver %d is not one of dap_eigh_solver", (int)o->solver);
  DAP_REQUIRE(o->range >= DAP_EIGH_ALL && o->range <= DAP_EIGH_BY_VALUE, call->err, DAP_ERR_ARG,
              "options: eigh.range %d is not one of dap_eigh_range", (int)o->range);
  DAP_REQUIRE(o->range != DAP_EIGH_BY_INDEX || (0 <= o->start && o->start <= o->stop && o->stop <= n),
              call->err, DAP_ERR_ARG,
              "options: eigh.start .. stop is %" PRId64 " .. %" PRId64 ", it must be within 0 .. %" PRId64,
              o->start, o->stop, n);
  DAP_REQUIRE(o->range != DAP_EIGH_BY_VALUE || o->above < o->up_to, call->err, DAP_ERR_ARG,
              "options: eigh.above %g is not less than eigh.up_to %g", o->above, o->up_to);
  DAP_REQUIRE(o->solver != DAP_EIGH_BACKEND || o->backend, call->err, DAP_ERR_ARG,
              "options: eigh.solver is DAP_EIGH_BACKEND, and eigh.backend is NULL");
  DAP_REQUIRE(!o->backend || o->backend->version == DAP_EIGH_BACKEND_VERSION, call->err, DAP_ERR_ARG,
              "options: eigh.backend is of version %d, not %d", o->backend->version,
              DAP_EIGH_BACKEND_VERSION);
  return DAP_OK;
}

/* Returns whether MRRR is faster. It computes the wanted vectors only; divide and conquer computes all. */
static bool wants_few(const dap_linalg_call *call)
{
  enum { FEW = 8 }; /* MRRR is faster for few of the n vectors, and takes as long for a quarter of them */
  const dap_eigh_options *o = &call->options.eigh;
  return call->given[Z] && o->range == DAP_EIGH_BY_INDEX &&
         o->stop - o->start <= dap_linalg_rows(call, A) / FEW;
}

/* Whether the backend takes the matrix's type. *why is its error, if it does not. Collective. */
static dap_status ask_backend(const dap_linalg_call *call, dap_error *why)
{
  const dap_eigh_backend *backend = call->options.eigh.backend;
  dap_error own = {.rank = -1};
  dap_status status = backend->can(backend, call->lib->dtype, &own);
  if (status) status = dap_fail(why, status, "%s: %s", backend->name, own.text);
  return dap_agree(call->comm, status, why);
}

/* Writes the algorithm into the report. */
static dap_status choose(dap_linalg_call *call)
{
  dap_linalg_report *report = call->report;
  const dap_eigh_options *o = &call->options.eigh;
  dap_error why = {.rank = -1};
  report->solver = o->solver;
  const dap_eigh_solver usual = wants_few(call) ? DAP_EIGH_EVR : DAP_EIGH_EVD;
  if (report->solver == DAP_EIGH_AUTO) report->solver = o->backend ? DAP_EIGH_BACKEND : usual;
  if (report->solver == DAP_EIGH_BACKEND) {
    const dap_status can = ask_backend(call, &why);
    if (!can) return DAP_OK;
    if (o->solver == DAP_EIGH_BACKEND) {
      *call->err = why;
      return can;
    }
    report->solver = usual;
  }
  const int rest = (int)sizeof report->method - 32; /* a name and ", as " fit into the others */
  (void)snprintf(report->method, sizeof report->method, "%s%s%.*s", algorithms[report->solver].name,
                 why.text[0] ? ", as " : "", rest, why.text);
  return DAP_OK;
}

/* ---- views --------------------------------------------------------------------------------------------- */

static bool is_backends(const dap_linalg_call *call)
{
  return call->report->solver == DAP_EIGH_BACKEND;
}

/* A backend finds vectors in Z, with one leading dimension for A and Z. */
static dap_status view_beside(dap_linalg_call *call, int i, const dap_scalapack_matrix *like, char op,
                              dap_scalapack_matrix **view)
{
  const dap_align align = is_backends(call) && i != B ? DAP_ALIGN_LEADING : DAP_ALIGN_SAME;
  const dap_scalapack_options o = {
      .needs = {.square_blocks = true, .align = align}, .aligned_with = like, .op = op};
  return dap_linalg_view(call, i, &o, view);
}

/* The first of A, Z and B that can be shared leads, Z only if it is as large as A. The others are moved to
 * where the leader lies.
 *
 * With op 'T' the matrix M is A^T = conj(A). It has the same eigenvalues, conjugate eigenvectors, and the
 * other triangle. The same holds for B. ScaLAPACK writes eigenvectors as columns, so Z is always seen with op
 * 'N'. */
static dap_status take_views(dap_linalg_call *call, dap_scalapack_matrix **a, dap_scalapack_matrix **b,
                             dap_scalapack_matrix **z)
{
  const dap_matrix_needs alone = {.square_blocks = true, .occupied = is_backends(call)};
  const dap_scalapack_options first = {.needs = alone}, vectors = {.needs = alone, .op = 'N'};
  const char uplo = dap_linalg_chosen(call, 0);
  dap_status status = dap_linalg_share(call, A, &first, a);
  if (status == DAP_ERR_SHARE && call->given[Z] && dap_linalg_cols(call, Z) == dap_linalg_rows(call, A))
    status = dap_linalg_share(call, Z, &vectors, z);
  if (status == DAP_ERR_SHARE && call->given[B]) status = dap_linalg_share(call, B, &first, b);
  if (!status && !*a) status = view_beside(call, A, *z ? *z : *b, *z ? 'N' : (*b)->op, a);
  if (status == DAP_ERR_SHARE)
    status = dap_linalg_view_moved_as(call, A, dap_linalg_lower_op(uplo), &first, a);
  if (!status && call->given[Z] && !*z) status = view_beside(call, Z, *a, 'N', z);
  if (!status && call->given[B] && !*b) status = view_beside(call, B, *a, (*a)->op, b);
  return status;
}

/* ---- a pair of matrices -------------------------------------------------------------------------------- */

/* LAPACK's lascl, which stedc calls, ends the job if an element is not finite. */
static dap_status check_reduced(dap_linalg_call *call, const dap_eigh_problem *p)
{
  const dap_status status = dap_linalg_finite(call, p->a, p->uplo);
  if (status != DAP_ERR_NUMERIC) return status;
  return dap_linalg_numeric(call, 0,
                            "A is so large beside B that eigenvalues exceed the range of %s: scale A or B",
                            dap_dtype_name(call->lib->dtype));
}

/* With B = L L^H or U^H U, replaces M with inv(L) M inv(L)^H or inv(U)^H M inv(U). Collective. */
static dap_status reduce(dap_linalg_call *call, const dap_eigh_problem *p)
{
  const dap_scalapack_matrix *a = p->a, *b = p->b;
  const dap_scalapack_int first_kind = 1;
  double scale[2]; /* is 1: SRC/pdsygst.f */
  const bool inside = dap_linalg_is_inside(a);
  dap_scalapack_int info = 0;
  if (inside) call->lib->potrf(&p->uplo, &b->n, DAP_MATRIX(b), &info);
  DAP_TRY(dap_linalg_check_info(call, "potrf", info, "B is not positive definite: the leading minor of order",
                                " is not positive"));
  if (inside) call->lib->sygst(&first_kind, &p->uplo, &a->n, DAP_MATRIX(a), DAP_MATRIX(b), scale, &info);
  DAP_TRY(dap_linalg_succeeds(call, "sygst", info));
  return check_reduced(call, p);
}

/* Turns eigenvectors of that into those of A z = w B z. Collective. */
static void back(const dap_linalg_call *call, const dap_eigh_problem *p)
{
  dap_scalapack_matrix found = *p->z;
  found.n = (dap_scalapack_int)p->count;
  if (p->count > 0 && dap_linalg_is_inside(&found))
    dap_linalg_triangular(call, p->uplo, p->uplo == 'L' ? 'C' : 'N', 'N', p->b, &found);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Clears the columns of z for which there are no eigenvalues. */
static void clear_rest(const dap_linalg_call *call, const dap_eigh_problem *p)
{
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_int columns = (dap_scalapack_int)(p->room - p->count);
  const dap_scalapack_int column = (dap_scalapack_int)p->count + 1;
  if (columns > 0 && dap_linalg_is_inside(p->z))
    lib->laset("A", &p->z->m, &columns, lib->zero, lib->zero, p->z->data, &p->z->ia, &column, p->z->desc);
}

/* Stores the eigenvalues that are wanted, and NaN if there is room for more. */
static dap_status store_values(dap_linalg_call *call, const dap_eigh_problem *p)
{
  void *values;
  DAP_TRY(dap_linalg_work(call, p->room, call->lib->real, &values));
  for (int64_t k = 0; k < p->room; k++)
    dap_linalg_put_real(call->lib->real, values, k,
                        k < p->count ? dap_linalg_get_real(call->lib->real, p->w, p->first + k)
                                     : (double)NAN);
  return dap_linalg_store_replicated(call, W, values);
}

static dap_status decompose_views(dap_linalg_call *call, dap_eigh_problem *p)
{
  dap_scalapack_matrix *a = NULL, *b = NULL, *z = NULL;
  DAP_TRY(take_views(call, &a, &b, &z));
  const char given = dap_linalg_chosen(call, 0);
  const char read = given == 'A' ? 'A' : (given == 'L') == (a->op == 'N') ? 'L' : 'U';
  p->a = a, p->b = b, p->z = z;
  p->uplo = read == 'A' ? 'L' : read;
  p->whole = read == 'A' && !b;
  DAP_TRY(dap_linalg_finite(call, a, read));
  if (b) {
    DAP_TRY(dap_linalg_finite(call, b, read));
    DAP_TRY(reduce(call, p));
  }
  DAP_TRY(dap_linalg_work(call, p->n, call->lib->real, &p->w));
  DAP_TRY(algorithms[call->report->solver].run(call, p));
  DAP_TRY(dap_linalg_finite_values(call, p->first + p->count, p->w, "eigenvalue"));
  if (!z) return DAP_OK;
  if (b) back(call, p);
  if (a->op == 'T') dap_linalg_conjugate(call, z);
  clear_rest(call, p);
  return DAP_OK;
}

static dap_status decompose(dap_linalg_call *call)
{
  const dap_eigh_options *o = &call->options.eigh;
  const int64_t n = dap_linalg_rows(call, A); /* room: columns of Z and elements of W */
  const int64_t room = o->range == DAP_EIGH_BY_VALUE   ? dap_linalg_rows(call, W)
                       : o->range == DAP_EIGH_BY_INDEX ? o->stop - o->start
                                                       : n;
  dap_eigh_problem p = {.n = n, .room = room, .wanted = *o};
  DAP_TRY(check_options(call, n));
  DAP_TRY(dap_linalg_fits(call, W, room, 1));
  DAP_TRY(dap_linalg_fits(call, Z, n, room));
  DAP_TRY(choose(call));
  if (room == 0) call->given[Z] = false; /* it has no columns */
  if (n > 0 && (room > 0 || p.wanted.range == DAP_EIGH_BY_VALUE)) DAP_TRY(decompose_views(call, &p));
  return store_values(call, &p);
}

static dap_linalg_arguments arguments_of(const char *function, char uplo, dap_darray a, dap_darray w,
                                         dap_darray z)
{
  return (dap_linalg_arguments){function, decompose,
                                .operands = {{"A", a, DAP_LINALG_WORK, "nn"},
                                             {"W", w, DAP_LINALG_RESULT, "*", .real = true},
                                             {"Z", z, DAP_LINALG_RESULT, "**", .optional = true}},
                                .choices = {{"uplo", uplo, "LUA"}}};
}

dap_status dap_linalg_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                           const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = arguments_of(__func__, uplo, a, w, z);
  return dap_linalg_run(comm, &arguments, options, err);
}

dap_status dap_linalg_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b, dap_darray w,
                                       dap_darray z, const dap_linalg_options *options, dap_error *err)
{
  dap_linalg_arguments arguments = arguments_of(__func__, uplo, a, w, z);
  arguments.operands[B] = (dap_linalg_argument){"B", b, DAP_LINALG_WORK, .shape = "nn"};
  return dap_linalg_run(comm, &arguments, options, err);
}
