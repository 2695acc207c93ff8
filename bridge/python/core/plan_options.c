/* Reads the options of a plan: a dict by the names of dap_plan_options' members. */
#include "core_impl.h"

#include <string.h>

static bool read_complex(PyObject *value, double pair[2], const double **result)
{
  if (value == Py_None) return true;
  PyObject *number = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, value, NULL);
  if (!number) return false;
  pair[0] = PyComplex_RealAsDouble(number);
  pair[1] = PyComplex_ImagAsDouble(number);
  Py_DECREF(number);
  *result = pair;
  return true;
}

/* The place of a word in a list of them, which is the enumerator's value. */
static bool read_word(PyObject *value, const char *name, const char *const words[], int count, int *result)
{
  const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : "";
  for (int i = 0; text && i < count; i++)
    if (!strcmp(text, words[i])) {
      *result = i;
      return true;
    }
  return errors_fail(DAP_ERR_ARG, "%s: '%.40s' is not one of its values", name, text ? text : "");
}

static bool read_option(const char *name, PyObject *value, void *context)
{
  plan_options *o = context;
  static const char *const combines[] = {"", "sum", "max", "min"}, *const paddings[] = {"", "clear",
                                                                                        "refresh"};
  dap_plan_options *options = &o->options;
  int word = 0;
  bool is_good = true;
  if (!strcmp(name, "fill_halos")) return value_truth(value, &options->fill_halos);
  if (!strcmp(name, "conjugate")) return value_truth(value, &options->conjugate);
  if (!strcmp(name, "from_owners")) return value_truth(value, &options->from_owners);
  if (!strcmp(name, "lossy")) return value_truth(value, &options->lossy);
  if (!strcmp(name, "allow_empty")) return value_truth(value, &options->allow_empty);
  if (!strcmp(name, "message_bytes")) return value_int64(value, name, &options->message_bytes);
  if (!strcmp(name, "memory_bytes")) return value_int64(value, name, &options->memory_bytes);
  if (!strcmp(name, "arrays")) return value_int64(value, name, &options->arrays);
  if (!strcmp(name, "alpha")) return read_complex(value, o->alpha, &options->alpha);
  if (!strcmp(name, "beta")) return read_complex(value, o->beta, &options->beta);
  if (!strcmp(name, "transports")) {
    is_good = value_int(value, name, &word);
    options->transports = (unsigned)word;
  } else if (!strcmp(name, "combine")) {
    is_good = read_word(value, name, combines, 4, &word);
    options->combine = (dap_combine)word;
  } else if (!strcmp(name, "padding")) {
    is_good = read_word(value, name, paddings, 3, &word);
    options->padding = (dap_padding)word;
  } else
    return errors_fail(DAP_ERR_ARG, "%.40s is not an option of a plan", name);
  return is_good;
}

bool plan_options_read(PyObject *dict, plan_options *options)
{
  *options = (plan_options){0};
  return value_options(dict, read_option, options);
}
