/* Checks the options of a call on each process, and lists the words that must be equal on all. */
#include "file_impl.h"

#include <inttypes.h>
#include <string.h>

static dap_status check_format(const dap_file_format *format, dap_error *err)
{
  if (!format) return DAP_OK;
  DAP_REQUIRE(format->version == DAP_FILE_FORMAT_VERSION, err, DAP_ERR_ARG,
              "options: format has version %d, and this library takes %d", format->version,
              DAP_FILE_FORMAT_VERSION);
  DAP_REQUIRE(format->name && format->query && format->open && format->read && format->write && format->close,
              err, DAP_ERR_ARG, "options: format lacks its name or a function");
  return DAP_OK;
}

static dap_status check_numbers(const dap_file_options *o, dap_error *err)
{
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"offset", o->offset},
                 {"ndim", o->ndim},
                 {"writers", o->writers},
                 {"align", o->align},
                 {"memory_bytes", o->memory_bytes}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    DAP_REQUIRE(numbers[i].value >= 0, err, DAP_ERR_ARG,
                "options: %s is %" PRId64 ", and must not be negative", numbers[i].name, numbers[i].value);
  DAP_REQUIRE(o->ndim <= DAP_MAX_NDIM, err, DAP_ERR_ARG,
              "options: ndim is %d, but arrays have at most %d axes", o->ndim, DAP_MAX_NDIM);
  DAP_REQUIRE(o->shape || o->ndim == 0, err, DAP_ERR_ARG,
              "options: ndim is %d, but shape is NULL; it must have the extent of each axis", o->ndim);
  for (int k = 0; k < o->ndim; k++)
    DAP_REQUIRE(o->shape[k] >= 0, err, DAP_ERR_ARG,
                "options: shape[%d] is %" PRId64 ", and must not be negative", k, o->shape[k]);
  DAP_REQUIRE(o->part.naxes >= 0 && o->part.naxes <= DAP_MAX_NDIM, err, DAP_ERR_ARG,
              "options: part.naxes %d is outside 0 .. %d", o->part.naxes, DAP_MAX_NDIM);
  return DAP_OK;
}

static bool has_part(const dap_part *part)
{
  return part->naxes > 0 || part->axes || part->start || part->shape;
}

dap_status dap_file_check_options(const dap_file_call *call, dap_error *err)
{
  const dap_file_options *o = &call->options;
  DAP_REQUIRE(call->path && call->path[0], err, DAP_ERR_ARG, "path must not be %s",
              call->path ? "empty" : "NULL");
  DAP_TRY(check_format(o->format, err));
  DAP_REQUIRE(o->mode >= DAP_FILE_REPLACE && o->mode <= DAP_FILE_APPEND, err, DAP_ERR_ARG,
              "options: mode %d is not one of dap_file_mode", (int)o->mode);
  DAP_REQUIRE(o->dtype == DAP_NONE || dap_dtype_size(o->dtype) > 0, err, DAP_ERR_ARG,
              "options: dtype %d is not one of the element types", (int)o->dtype);
  DAP_REQUIRE(o->order == 0 || o->order == DAP_ORDER_C || o->order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "options: order %d is neither 'C' nor 'F'", (int)o->order);
  DAP_TRY(check_numbers(o, err));
  DAP_REQUIRE(!call->saves || o->mode == DAP_FILE_UPDATE || !has_part(&o->part), err, DAP_ERR_ARG,
              "options: a part of a file is saved with mode DAP_FILE_UPDATE only");
  return DAP_OK;
}

/* ---- words ----------------------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
  return text ? dap_hash(0, text, strlen(text)) : 0;
}

static uint64_t hash_numbers(const int64_t *numbers, int count)
{
  return numbers ? dap_hash(0, numbers, (size_t)count * sizeof *numbers) : 0;
}

/* Names the words in errors. */
static const char *const word_names[] = {"path",
                                         "options: format",
                                         "options: mode",
                                         "options: dtype",
                                         "options: lossy",
                                         "options: order",
                                         "options: swapped",
                                         "options: offset",
                                         "options: ndim",
                                         "options: shape",
                                         "options: part.naxes",
                                         "options: part.axes",
                                         "options: part.start",
                                         "options: part.shape",
                                         "options: writers",
                                         "options: align",
                                         "options: memory_bytes",
                                         "options: drop_layout"};

/* The numbers of part.start and part.shape are compared later: the file's array, which says how many they
 * are, is not known yet. */
int dap_file_words(const dap_file_call *call, uint64_t words[], const char *const **names)
{
  const dap_file_options *o = &call->options;
  const dap_part *part = &o->part;
  const uint64_t found[] = {
      hash_text(call->path),
      hash_text(call->format->name),
      (uint64_t)o->mode,
      (uint64_t)o->dtype,
      o->lossy,
      (uint64_t)o->order,
      o->swapped,
      (uint64_t)o->offset,
      (uint64_t)o->ndim,
      hash_numbers(o->shape, o->ndim),
      (uint64_t)part->naxes,
      part->axes ? dap_hash(0, part->axes, (size_t)part->naxes * sizeof *part->axes) : 0,
      part->start != NULL,
      part->shape != NULL,
      (uint64_t)o->writers,
      (uint64_t)o->align,
      (uint64_t)o->memory_bytes,
      o->drop_layout,
  };
  memcpy(words, found, sizeof found);
  *names = word_names;
  return (int)(sizeof found / sizeof found[0]);
}
