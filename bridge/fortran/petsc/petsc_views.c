/* Takes views of arrays as PETSc's objects. The three kinds differ in the calls that take them and in the
 * facts that they tell. Restoring and discarding are the same for all. */
#include "fortran_petsc_impl.h"

/* ---- what each kind calls and tells --------------------------------------------------------------- */

/* In Fortran, a PETSc object is an integer: the address of the struct in C. */
static int64_t address(const void *object)
{
  return (int64_t)(intptr_t)object;
}

static void tell_field(const dap_f_petsc *view, dap_f_petsc_info *info)
{
  const dap_petsc_field *field = &view->of.field;
  info->objects[0] = address(field->dm);
  info->objects[1] = address(field->global);
  info->objects[2] = address(field->local);
  info->shared[0] = field->shared_global;
  info->shared[1] = field->shared_local;
  info->moved_bytes = field->moved_bytes;
  memcpy(info->reasons[0], field->reason_global, sizeof info->reasons[0]);
  memcpy(info->reasons[1], field->reason_local, sizeof info->reasons[1]);
}

static void tell_vector(const dap_f_petsc *view, dap_f_petsc_info *info)
{
  const dap_petsc_vector *vector = &view->of.vector;
  info->objects[0] = address(vector->vec);
  info->objects[1] = address(vector->ao);
  info->shared[0] = vector->shared;
  info->moved_bytes = vector->moved_bytes;
  memcpy(info->reasons[0], vector->reason, sizeof info->reasons[0]);
}

static void tell_matrix(const dap_f_petsc *view, dap_f_petsc_info *info)
{
  const dap_petsc_matrix *matrix = &view->of.matrix;
  info->objects[0] = address(matrix->mat);
  info->shared[0] = matrix->shared;
  info->moved_bytes = matrix->moved_bytes;
  memcpy(info->reasons[0], matrix->reason, sizeof info->reasons[0]);
}

static dap_status act_on_field(dap_f_petsc *view, int action, dap_error *err)
{
  dap_petsc_field *field = &view->of.field;
  switch (action) {
  case DAP_F_RESTORE:
    return dap_petsc_field_restore(field, err);
  case DAP_F_DISCARD:
    return dap_petsc_field_discard(field, err);
  case DAP_F_LOAD:
    return dap_petsc_field_load(field, err);
  case DAP_F_STORE:
    return dap_petsc_field_store(field, err);
  default:
    return dap_petsc_field_halo(field, err);
  }
}

static dap_status act_on_vector(dap_f_petsc *view, int action, dap_error *err)
{
  dap_petsc_vector *vector = &view->of.vector;
  switch (action) {
  case DAP_F_RESTORE:
    return dap_petsc_vector_restore(vector, err);
  case DAP_F_DISCARD:
    return dap_petsc_vector_discard(vector, err);
  case DAP_F_LOAD:
    return dap_petsc_vector_load(vector, err);
  case DAP_F_STORE:
    return dap_petsc_vector_store(vector, err);
  default:
    return dap_petsc_vector_halo(vector, err);
  }
}

static dap_status act_on_matrix(dap_f_petsc *view, int action, dap_error *err)
{
  dap_petsc_matrix *matrix = &view->of.matrix;
  switch (action) {
  case DAP_F_RESTORE:
    return dap_petsc_matrix_restore(matrix, err);
  case DAP_F_DISCARD:
    return dap_petsc_matrix_discard(matrix, err);
  case DAP_F_LOAD:
    return dap_petsc_matrix_load(matrix, err);
  case DAP_F_STORE:
    return dap_petsc_matrix_store(matrix, err);
  default:
    return dap_petsc_matrix_halo(matrix, err);
  }
}

static size_t describe_field(const void *view, char *text, size_t capacity)
{
  return dap_petsc_field_describe(&((const dap_f_petsc *)view)->of.field, text, capacity);
}

static size_t describe_vector(const void *view, char *text, size_t capacity)
{
  return dap_petsc_vector_describe(&((const dap_f_petsc *)view)->of.vector, text, capacity);
}

static size_t describe_matrix(const void *view, char *text, size_t capacity)
{
  return dap_petsc_matrix_describe(&((const dap_f_petsc *)view)->of.matrix, text, capacity);
}

/* Ending a live view would be collective. */
static bool end(void *view)
{
  return !((dap_f_petsc *)view)->is_live;
}

static const dap_f_petsc_kind
    field_kind = {{"field", sizeof(dap_f_petsc), end, describe_field, NULL}, tell_field, act_on_field},
    vector_kind = {{"vector", sizeof(dap_f_petsc), end, describe_vector, NULL}, tell_vector, act_on_vector},
    matrix_kind = {{"matrix", sizeof(dap_f_petsc), end, describe_matrix, NULL}, tell_matrix, act_on_matrix};

static const dap_f_petsc_kind *kind_of(const dap_f_petsc *view)
{
  return (const dap_f_petsc_kind *)view->object.kind;
}

static void fill_info(const dap_f_petsc *view, dap_f_petsc_info *info)
{
  *info = (dap_f_petsc_info){0};
  kind_of(view)->tell(view, info);
}

/* ---- got ------------------------------------------------------------------------------------------- */

typedef struct part {
  dap_part part; /* points into the others */
  int axes[DAP_MAX_NDIM];
  int64_t start[DAP_MAX_NDIM];
} part;

/* Replaces an invalid part with one that all processes refuse. */
static dap_part part_of(const dap_f_array *array, const dap_f_petsc_part *given, part *p)
{
  const int ndim = array && array->layout ? dap_layout_ndim(array->layout) : 0;
  *p = (part){0};
  if (given->naxes > DAP_MAX_NDIM || (given->nstart >= 0 && given->nstart != ndim)) {
    p->part.naxes = -1;
    return p->part;
  }
  for (int k = 0; k < given->naxes; k++) p->axes[k] = given->axes[k] - 1;
  for (int k = 0; k < given->nstart; k++) p->start[k] = given->start[k] - 1;
  p->part.naxes = given->naxes > 0 ? given->naxes : 0;
  p->part.axes = given->naxes >= 0 ? p->axes : NULL;
  p->part.start = given->nstart >= 0 ? p->start : NULL;
  return p->part;
}

static dap_status get(MPI_Comm comm, int kind, dap_f_array *array, int access,
                      const dap_f_petsc_options *given, dap_f_petsc *view, dap_error *err)
{
  part p;
  const dap_part chosen = part_of(array, &given->part, &p);
  const dap_sharing sharing = (dap_sharing)given->sharing;
  const dap_darray a = dap_f_darray(array);
  if (kind == DAP_F_FIELD) {
    const dap_petsc_field_options o = {.sharing = sharing,
                                       .vectors = (unsigned)given->vectors,
                                       .width = given->width,
                                       .star = given->star,
                                       .matrix_width = given->matrix_width,
                                       .matrix_star = given->matrix_star,
                                       .order = (dap_order)given->order,
                                       .dof_axes = given->dof_axes,
                                       .boundary = given->ghosted ? DM_BOUNDARY_GHOSTED : DM_BOUNDARY_NONE,
                                       .strip_periodic = given->strip_periodic,
                                       .lossy = given->lossy,
                                       .part = chosen,
                                       .dm = dap_f_petsc_object(given->dm)};
    return dap_petsc_field_get(comm, a, (dap_access)access, &o, &view->of.field, err);
  }
  if (kind == DAP_F_VECTOR) {
    const dap_petsc_vector_options o = {.sharing = sharing,
                                        .part = chosen,
                                        .order = (dap_order)given->order,
                                        .natural = given->natural,
                                        .block_size = given->block_size[0],
                                        .lossy = given->lossy};
    return dap_petsc_vector_get(comm, a, (dap_access)access, &o, &view->of.vector, err);
  }
  const dap_petsc_matrix_options o = {.sharing = sharing,
                                      .part = chosen,
                                      .form = (dap_petsc_form)given->form,
                                      .block_size = {given->block_size[0], given->block_size[1]},
                                      .lossy = given->lossy};
  return dap_petsc_matrix_get(comm, a, (dap_access)access, &o, &view->of.matrix, err);
}

dap_status dap_f_petsc_get(const MPI_Fint *comm, int kind, dap_f_array *array, int access,
                           const dap_f_petsc_options *options, void **variable, dap_f_petsc_info *info,
                           dap_error *err)
{
  static const dap_f_petsc_kind *const kinds[] = {&field_kind, &vector_kind, &matrix_kind};
  MPI_Comm c = dap_f_comm(comm);
  dap_error own = {.rank = -1};
  dap_f_petsc *view = dap_f_new(&kinds[kind]->kind, &own);
  dap_f_put(variable, view);
  dap_status status = dap_agree_call(c, "dap_petsc_get", view ? DAP_OK : DAP_ERR_NOMEM, &own);
  if (!status) status = get(c, kind, array, access, options, view, &own);
  if (status) {
    dap_f_put(variable, NULL);
    if (err) *err = own;
    return status;
  }
  view->is_live = true;
  view->array = dap_f_keep(array);
  fill_info(view, info);
  return DAP_OK;
}

/* ---- used and ended --------------------------------------------------------------------------------- */

/* Restores, discards, loads, stores or updates the view. The facts are set even if the view has ended. */
dap_status dap_f_petsc_act(dap_f_petsc *view, int action, dap_f_petsc_info *info, dap_error *err)
{
  const bool ends = action == DAP_F_RESTORE || action == DAP_F_DISCARD;
  if (!view || !view->is_live)
    return ends ? DAP_OK : dap_fail(err, DAP_ERR_ARG, "the variable has no live view");
  const dap_status status = kind_of(view)->act(view, action, err);
  if (ends) {
    view->is_live = false;
    dap_f_drop(view->array);
    view->array = NULL;
  }
  fill_info(view, info);
  return status;
}

dap_status dap_f_petsc_halo_reverse(dap_f_petsc *view, int combine, int padding, dap_error *err)
{
  if (view && view->is_live && view->object.kind == &field_kind.kind)
    return dap_petsc_field_halo_reverse(&view->of.field, (dap_combine)combine, (dap_padding)padding, err);
  if (view && view->is_live && view->object.kind == &vector_kind.kind)
    return dap_petsc_vector_halo_reverse(&view->of.vector, (dap_combine)combine, (dap_padding)padding, err);
  return dap_fail(err, DAP_ERR_ARG, "the variable has no live view as a field or a vector");
}
