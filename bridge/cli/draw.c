/* dapbridge draw: prints which process owns which elements, as a table, as an SVG picture, or as JSON. */
#include "draw_impl.h"

#include <dapbridge/draw.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static cli_exit print_table(const cli_case *c, const dap_layout *layout)
{
  picture_plane plane;
  dap_error err = {0};
  if (picture_plane_read(c->options->plane, layout, &plane, &err))
    return cli_complain(c->options, DAP_ERR_ARG, c->where, err.text);
  const size_t length = dap_layout_draw_plane(layout, plane.at, NULL, 0);
  char *text = malloc(length + 1);
  if (!text) return cli_no_memory(c);
  (void)dap_layout_draw_plane(layout, plane.at, text, length + 1);
  printf("%s:\n%s", c->where, text);
  free(text);
  return CLI_FINE;
}

typedef struct page {
  const dap_picture *picture;
  const char *name;
} page;

static void put_page(FILE *to, const void *what)
{
  const page *p = what;
  dap_svg_picture(to, p->picture, p->name);
}

/* Returns the ending of `path` if it names another format of pictures than SVG, else NULL. */
static const char *other_kind(const char *path)
{
  static const char *const kinds[] = {".png", ".pdf", ".jpg", ".jpeg", ".gif", ".eps", ".ps", ".webp"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
    if (!strcasecmp(dot, kinds[i])) return kinds[i];
  return NULL;
}

static cli_exit put_picture(const cli_case *c, const dap_picture *p)
{
  const char *kind = c->options->output ? other_kind(c->options->output) : NULL;
  if (kind && !c->options->json) {
    char text[64];
    (void)snprintf(text, sizeof text, "pictures are SVG: name it .svg, not %s", kind);
    return cli_complain(c->options, DAP_ERR_ARG, c->options->output, text);
  }
  if (c->options->json) return cli_print_result(c, picture_json(p));
  return cli_write(c->options, put_page, &(page){p, c->where});
}

static cli_exit make_picture(const cli_case *c, const dap_layout *layout)
{
  dap_picture p = {0};
  picture_plane plane;
  dap_error err = {0};
  if (c->number > 0 && !c->options->json)
    return cli_complain(c->options, DAP_ERR_ARG, c->where, "not drawn: a picture is of one document");
  dap_status s = picture_plane_read(c->options->plane, layout, &plane, &err);
  if (!s) s = dap_picture_init(layout, plane.at, &p, &err);
  const cli_exit result = s == DAP_OK          ? put_picture(c, &p)
                          : s == DAP_ERR_NOMEM ? cli_no_memory(c)
                                               : cli_complain(c->options, s, c->where, err.text);
  dap_picture_release(&p);
  return result;
}

static cli_exit draw_layout(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  (void)parts;
  return c->options->output || c->options->json ? make_picture(c, layout) : print_table(c, layout);
}

static cli_exit draw(cli_case *c)
{
  return cli_whole(c, draw_layout);
}

cli_exit cli_draw(const cli_options *options)
{
  return cli_walk(options, draw);
}
