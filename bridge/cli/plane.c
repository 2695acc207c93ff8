/* Reads the plane that is drawn. --plane 3,:,: has the elements (3, i, j). */
#include "check.h"
#include "draw_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Reads an index, or ':' as -1. Returns the text behind it; NULL: it is neither. */
static const char *read_index(const char *text, int64_t *index)
{
  char *end;
  *index = -1;
  if (*text == ':') return text + 1;
  if (*text < '0' || *text > '9') return NULL;
  *index = strtoll(text, &end, 10);
  return end;
}

static dap_status check(const dap_layout *layout, const picture_plane *plane, dap_error *err)
{
  int drawn = 0;
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    const int64_t at = plane->at[k], size = dap_layout_size(layout, k);
    DAP_REQUIRE(at < size, err, DAP_ERR_ARG, "plane: axis %d: index %" PRId64 " is outside 0 .. %" PRId64, k,
                at, size - 1);
    drawn += at < 0;
  }
  DAP_REQUIRE(drawn == 1 || drawn == 2, err, DAP_ERR_ARG, "plane: %d axes are ':', and 1 or 2 can be drawn",
              drawn);
  return DAP_OK;
}

dap_status picture_plane_read(const char *text, const dap_layout *layout, picture_plane *plane,
                              dap_error *err)
{
  const int ndim = dap_layout_ndim(layout);
  *plane = (picture_plane){{0}};
  for (int k = 0; k < ndim && k < 2; k++) plane->at[k] = -1;
  if (!text) return DAP_OK;
  DAP_REQUIRE(ndim > 0, err, DAP_ERR_ARG, "plane: a scalar has none");
  const char *rest = text;
  for (int k = 0; k < ndim; k++) {
    rest = read_index(rest, &plane->at[k]);
    DAP_REQUIRE(rest && *rest == (k < ndim - 1 ? ',' : '\0'), err, DAP_ERR_ARG,
                "plane: %s is not %d indices or ':', with ',' between them", text, ndim);
    rest++;
  }
  return check(layout, plane, err);
}
