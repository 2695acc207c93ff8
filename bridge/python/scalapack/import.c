/* Takes matrices that other programs made. */
#include "python_scalapack_impl.h"

#include <dapbridge/blacs_calls.h>
#include <dapbridge/context.h>
#include <dapbridge/scalapack_calls.h>
#include <string.h>

enum { CTXT = 1, M = 2, MB = 4, RSRC = 6, LLD = 8 };

void import_extents(const dap_scalapack_int desc[9], int64_t extents[2])
{
  dap_scalapack_int procs[2] = {0}, at[2] = {-1, -1};
  if (desc[CTXT] >= 0) Cblacs_gridinfo(desc[CTXT], &procs[0], &procs[1], &at[0], &at[1]);
  for (int k = 0; k < 2; k++) {
    extents[k] = 0;
    if (at[0] < 0 || desc[MB + k] < 1) continue;
    extents[k] = numroc_(&desc[M + k], &desc[MB + k], &at[k], &desc[RSRC + k], &procs[k]);
  }
}

PyObject *import_context_comm(PyObject *module, PyObject *context)
{
  (void)module;
  dap_scalapack_int number;
  if (!option_integer(context, "context", &number)) return NULL;
  if (!dap_mpi_is_running()) return option_fail("MPI is not running");
  return PyLong_FromLong(MPI_Comm_c2f(dap_scalapack_context_comm(number)));
}

/* ---- the arguments ------------------------------------------------------------------------------------ */

typedef struct matrix_of_others {
  MPI_Comm comm;
  dap_scalapack_int desc[9];
  PyObject *memory; /* a memoryview, which the array will keep */
  void *data;
  bool readonly;
  dap_dtype dtype;
  char op;
} matrix_of_others;

static bool read_desc(PyObject *sequence, dap_scalapack_int desc[9])
{
  const Py_ssize_t count = PySequence_Size(sequence);
  if (count != 9) return count < 0 ? false : option_fail("desc has %zd numbers, not 9", count);
  static const char *const names[9] = {"desc[0] (DTYPE)", "desc[1] (CTXT)", "desc[2] (M)",
                                       "desc[3] (N)",     "desc[4] (MB)",   "desc[5] (NB)",
                                       "desc[6] (RSRC)",  "desc[7] (CSRC)", "desc[8] (LLD)"};
  for (int i = 0; i < 9; i++) {
    PyObject *item = PySequence_GetItem(sequence, i);
    const bool ok = item && option_integer(item, names[i], &desc[i]);
    Py_DecRef(item);
    if (!ok) return false;
  }
  return true;
}

/* The local part is columns of LLD elements: a column-major buffer of two axes, or a contiguous one. */
static bool check_buffer(const Py_buffer *b, const dap_scalapack_int desc[9])
{
  int64_t extents[2];
  import_extents(desc, extents);
  const int64_t lld = desc[LLD], needed = extents[0] && extents[1] ? (extents[1] - 1) * lld + extents[0] : 0;
  if (needed == 0) return true;
  if (b->ndim == 1) {
    if (b->shape[0] < needed || (b->strides[0] != b->itemsize && needed > 1))
      return option_fail("the buffer is not %lld contiguous elements or more", (long long)needed);
    return true;
  }
  if (b->ndim != 2) return option_fail("the buffer has %d axes, not 2 or 1", b->ndim);
  if (b->shape[0] < extents[0] || b->shape[1] < extents[1])
    return option_fail("the buffer is %zd x %zd, the local part is %lld x %lld", b->shape[0], b->shape[1],
                       (long long)extents[0], (long long)extents[1]);
  if ((b->strides[0] != b->itemsize && extents[0] > 1) ||
      (b->strides[1] != b->itemsize * lld && extents[1] > 1))
    return option_fail("the buffer is not column-major with the descriptor's LLD of %lld", (long long)lld);
  return true;
}

static bool read_buffer(PyObject *object, matrix_of_others *m)
{
  Py_buffer b;
  bool swapped = false;
  dap_error err;
  m->memory = PyMemoryView_FromObject(object);
  if (!m->memory || PyObject_GetBuffer(m->memory, &b, PyBUF_RECORDS_RO)) return false;
  m->data = b.buf;
  m->readonly = b.readonly;
  const dap_status s = dap_dtype_parse(b.format, &m->dtype, &swapped, &err);
  if (s) (void)scalapack_core->raise(s, &err);
  const bool ok = !s && (!swapped || option_fail("the elements' byte order is not this machine's")) &&
                  check_buffer(&b, m->desc);
  PyBuffer_Release(&b);
  return ok;
}

static bool read_arguments(PyObject *args, matrix_of_others *m)
{
  PyObject *comm, *desc, *buffer;
  int op;
  if (!PyArg_ParseTuple(args, "OOOC:import_matrix", &comm, &desc, &buffer, &op)) return false;
  m->op = op == 'N' || op == 'T' ? (char)op : '?';
  return read_desc(desc, m->desc) && read_buffer(buffer, m);
}

/* ---- import_matrix ------------------------------------------------------------------------------------- */

/* The pair of both, which are taken over. */
static PyObject *pair(dap_layout *layout, dap_array *array, PyObject *memory)
{
  PyObject *first = scalapack_core->new_layout(layout), *second = scalapack_core->new_local(array, memory);
  PyObject *both = first && second ? PyTuple_Pack(2, first, second) : NULL;
  Py_DecRef(first);
  Py_DecRef(second);
  return both;
}

PyObject *import_matrix(PyObject *module, PyObject *args)
{
  (void)module;
  matrix_of_others m = {0};
  dap_layout *layout = NULL;
  dap_array array = {0};
  dap_error err;
  PyObject *handle = PyTuple_GetItem(args, 0), *result = NULL;
  if (!handle || !scalapack_core->comm(handle, &m.comm)) return NULL;
  if (!read_arguments(args, &m)) {
    Py_DecRef(m.memory);
    return scalapack_core->fail_all(m.comm, "dap_scalapack_import");
  }
  PyThreadState *thread = PyEval_SaveThread();
  const dap_status s = dap_scalapack_import(m.comm, m.desc, m.data, m.dtype, m.op, &array, &layout, &err);
  PyEval_RestoreThread(thread);
  array.readonly = m.readonly;
  result = s ? scalapack_core->raise(s, &err) : pair(layout, &array, m.memory);
  Py_DecRef(m.memory);
  return result;
}
