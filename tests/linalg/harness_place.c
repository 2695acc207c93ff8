/* The elements of this process's part, one by one. */
#include "harness_impl.h"

/* Whether the local position is communication padding. */
static bool in_halo(const matrix *m, const place *p)
{
  for (int k = 0; k < m->ndim; k++)
    if (p->local[k] < p->halo[k][0] || p->local[k] >= m->array.shape[k] - p->halo[k][1]) return true;
  return false;
}

static void begin(const matrix *m, place *p)
{
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(m->layout, m->rank, coords);
  for (int k = 0; k < m->ndim; k++) dap_layout_halo(m->layout, k, coords[k], p->halo[k]);
  p->begun = true;
}

/* To the next local position, padding or not. */
static bool advance(const matrix *m, place *p)
{
  const int64_t columns = m->ndim == 2 ? m->array.shape[1] : 1;
  if (!p->begun) {
    begin(m, p);
    return m->array.shape[0] > 0 && columns > 0;
  }
  if (++p->local[1] < columns) return true;
  p->local[1] = 0;
  return ++p->local[0] < m->array.shape[0];
}

void places_look_up(matrix *m)
{
  int coords[DAP_MAX_NDIM] = {0};
  const bool empty = dap_array_count(&m->array) == 0;
  dap_layout_coords(m->layout, m->rank, coords);
  for (int k = 0; k < m->ndim; k++) {
    m->global[k] = zeros(m->array.shape[k], sizeof *m->global[k]);
    m->owned[k] = zeros(m->array.shape[k], sizeof *m->owned[k]);
    for (int64_t i = 0; i < m->array.shape[k] && !empty; i++) {
      int64_t local[2] = {0}, global[2] = {0};
      dap_error err = {0};
      local[k] = i;
      EXPECT_OK(dap_layout_globalize(m->layout, m->rank, local, global, NULL, &err), &err);
      m->global[k][i] = global[k];
      m->owned[k][i] = dap_layout_is_owned(m->layout, k, coords[k], i);
    }
  }
}

bool place_next(const matrix *m, place *p)
{
  while (advance(m, p)) {
    if (in_halo(m, p)) continue;
    p->i = m->global[0][p->local[0]], p->j = m->ndim == 2 ? m->global[1][p->local[1]] : 0;
    p->owned = m->owned[0][p->local[0]] && (m->ndim == 1 || m->owned[1][p->local[1]]);
    p->element = (unsigned char *)m->array.data + p->local[0] * m->array.strides[0] +
                 (m->ndim == 2 ? p->local[1] * m->array.strides[1] : 0);
    return true;
  }
  return false;
}

/* Copies an element and turns the bytes of its one or two numbers round if the array is swapped. */
static void copy_element(const matrix *m, const unsigned char *from, unsigned char *to)
{
  const int64_t bytes = dap_dtype_size(m->type->dtype), number = dap_dtype_size(m->type->real);
  for (int64_t i = 0; i < bytes; i++)
    to[i] = from[m->array.swapped ? i - i % number + number - 1 - i % number : i];
}

double complex place_load(const matrix *m, const place *p)
{
  unsigned char element[sizeof(double complex)];
  copy_element(m, p->element, element);
  return element_load(m->type->dtype, element);
}

void place_store(const matrix *m, const place *p, double complex value)
{
  unsigned char element[sizeof(double complex)];
  element_store(m->type->dtype, value, element);
  copy_element(m, element, p->element);
}
