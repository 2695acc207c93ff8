/* Draws a layout as SVG. */
#include "picture_impl.h"

#include <stdio.h>

/* Draws a page that says that there are no elements. */
static void draw_empty(FILE *to, const dap_layout *layout, int axis)
{
  enum { WIDTH = 480, HEIGHT = 64, LEFT = 24 };
  static const double one[2] = {1, 1};
  char summary[256], why[64];
  (void)dap_layout_summary(layout, summary, sizeof summary);
  (void)snprintf(why, sizeof why, "no elements: axis %d has size 0", axis);
  dap_svg_begin(to, WIDTH, HEIGHT, one, summary);
  dap_svg_text(to, LEFT, 24, "start", "title", summary);
  dap_svg_text(to, LEFT, 44, "start", "note", why);
  dap_svg_end(to);
}

dap_status dap_layout_draw_svg(const dap_layout *layout, const int64_t plane[], const char *name,
                               FILE *stream, dap_error *err)
{
  dap_picture p = {0};
  DAP_REQUIRE(stream, err, DAP_ERR_ARG, "stream must not be NULL");
  DAP_TRY(dap_layout_check(layout, err));
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (dap_layout_size(layout, k) == 0) {
      draw_empty(stream, layout, k);
      return DAP_OK;
    }
  const dap_status s = dap_picture_init(layout, plane, &p, err);
  if (!s) dap_svg_picture(stream, &p, name);
  dap_picture_release(&p);
  return s;
}
