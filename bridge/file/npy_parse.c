/* Reads the header of a .npy file: a dictionary of Python with the keys 'descr', 'fortran_order' and
 * 'shape', each once, in any order. */
#include "file_impl.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { TYPE = 24 /* bytes of a type's text that is read */ };

typedef struct header {
  const char *at, *end;
  const char *shown;
  dap_file_info *info;
} header;

/* ---- pieces of Python ------------------------------------------------------------------------------ */

static void skip_blanks(header *h)
{
  while (h->at < h->end && isspace((unsigned char)*h->at)) h->at++;
}

static bool take(header *h, const char *word)
{
  const size_t length = strlen(word);
  skip_blanks(h);
  if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0) return false;
  h->at += length;
  return true;
}

static dap_status refuse(const header *h, const char *what, dap_error *err)
{
  return dap_fail(err, DAP_ERR_FILE, "%.300s: wrong .npy header: %s", h->shown, what);
}

/* Takes a text in single or double quotes, without escapes. */
static bool take_text(header *h, char *text, size_t room)
{
  skip_blanks(h);
  if (h->at == h->end || (*h->at != '\'' && *h->at != '"')) return false;
  const char quote = *h->at++, *begin = h->at;
  while (h->at < h->end && *h->at != quote && *h->at != '\\' && *h->at != '\n') h->at++;
  if (h->at == h->end || *h->at != quote || (size_t)(h->at - begin) >= room) return false;
  memcpy(text, begin, (size_t)(h->at - begin));
  text[h->at++ - begin] = '\0';
  return true;
}

/* Takes a whole number. Python 2 wrote an L behind long ones. */
static bool take_number(header *h, int64_t *number, bool *fits)
{
  skip_blanks(h);
  const char *begin = h->at;
  *number = 0;
  for (; h->at < h->end && isdigit((unsigned char)*h->at); h->at++)
    *fits = *fits && dap_multiply(*number, 10, number) && dap_add(*number, *h->at - '0', number);
  if (h->at == begin) return false;
  (void)take(h, "L");
  return true;
}

/* ---- the values ------------------------------------------------------------------------------------ */

static dap_status read_type(header *h, dap_error *err)
{
  char type[TYPE];
  skip_blanks(h);
  DAP_REQUIRE(h->at == h->end || *h->at != '[', err, DAP_ERR_UNSUPPORTED,
              "%.300s: elements of structured types are not moved", h->shown);
  if (!take_text(h, type, sizeof type)) return refuse(h, "'descr' is not the text of a type", err);
  const char *kind = type + (type[0] && strchr("<>|=", type[0]) ? 1 : 0);
  DAP_REQUIRE(kind[0] != 'O', err, DAP_ERR_UNSUPPORTED,
              "%.300s: the elements are Python's objects, which are not moved", h->shown);
  DAP_REQUIRE(dap_dtype_parse_numpy(type, &h->info->dtype, &h->info->swapped, NULL) == DAP_OK, err,
              DAP_ERR_UNSUPPORTED, "%.300s: dapbridge does not have the type '%s' of the elements", h->shown,
              type);
  return DAP_OK;
}

static dap_status read_order(header *h, dap_error *err)
{
  if (take(h, "True"))
    h->info->order = DAP_ORDER_F;
  else if (take(h, "False"))
    h->info->order = DAP_ORDER_C;
  else
    return refuse(h, "'fortran_order' is neither True nor False", err);
  return DAP_OK;
}

static dap_status read_shape(header *h, dap_error *err)
{
  bool fits = true, has_comma = false;
  h->info->ndim = 0;
  if (!take(h, "(")) return refuse(h, "'shape' is not a tuple", err);
  while (!take(h, ")")) {
    int64_t size;
    if (h->info->ndim > 0 && !has_comma) return refuse(h, "'shape' is not a tuple of numbers", err);
    if (!take_number(h, &size, &fits))
      return refuse(h, "'shape' has an extent that is not a whole number", err);
    DAP_REQUIRE(fits, err, DAP_ERR_RANGE, "%.300s: an extent exceeds 2^63 - 1", h->shown);
    DAP_REQUIRE(h->info->ndim < DAP_MAX_NDIM, err, DAP_ERR_UNSUPPORTED, "%.300s: more than %d axes", h->shown,
                DAP_MAX_NDIM);
    h->info->shape[h->info->ndim++] = size;
    has_comma = take(h, ",");
  }
  if (h->info->ndim == 1 && !has_comma) return refuse(h, "'shape' is not a tuple", err);
  return DAP_OK;
}

/* ---- the dictionary -------------------------------------------------------------------------------- */

static dap_status read_entry(header *h, unsigned *found, dap_error *err)
{
  static const struct {
    const char *key;
    dap_status (*read)(header *h, dap_error *err);
  } entries[] = {{"descr", read_type}, {"fortran_order", read_order}, {"shape", read_shape}};
  char key[TYPE];
  if (!take_text(h, key, sizeof key)) return refuse(h, "a key is not a text", err);
  if (!take(h, ":")) return refuse(h, "a key has no value", err);
  for (unsigned i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    if (strcmp(key, entries[i].key) != 0) continue;
    if (*found & 1U << i) return refuse(h, "a key is there twice", err);
    *found |= 1U << i;
    return entries[i].read(h, err);
  }
  return refuse(h, "a key is not one of descr, fortran_order, shape", err);
}

dap_status dap_npy_parse(const char *text, int64_t length, const char *shown, dap_file_info *info,
                         dap_error *err)
{
  header h = {.at = text, .end = text + length, .shown = shown, .info = info};
  unsigned found = 0;
  bool has_comma = true;
  if (!take(&h, "{")) return refuse(&h, "it is not a dictionary", err);
  while (!take(&h, "}")) {
    if (!has_comma) return refuse(&h, "two entries without a comma", err);
    DAP_TRY(read_entry(&h, &found, err));
    has_comma = take(&h, ",");
  }
  skip_blanks(&h);
  if (h.at != h.end) return refuse(&h, "something follows the dictionary", err);
  return found == 7 ? DAP_OK : refuse(&h, "descr, fortran_order or shape is missing", err);
}
