/* Writes an SVG page with its colours, hatches and words. */
#include "picture_impl.h"

#include <inttypes.h>

/* Readers with colour blindness can tell these tints apart, and text is readable on them. They are near the
 * hues of Okabe and Ito ("Color Universal Design", https://jfly.uni-koeln.de/color, 2008) and differ in
 * lightness. A search maximised the least difference of two; tests/cli/palette.py has its bound. */
const char *dap_svg_colour(int number)
{
  static const char *const colours[DAP_SVG_COLOURS] = {"#bce4fe", "#adaf44", "#6df3be", "#c17da0",
                                                       "#6fb4e4", "#ed917c", "#f1e686", "#7f89ea"};
  return colours[number % DAP_SVG_COLOURS];
}

/* Returns the bytes of the first character, if it is UTF-8 and allowed in XML; else 0. Names of files may
 * have any bytes. Sources: Unicode 15, table 3-7; XML 1.0, "Char". */
static int character_at(const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  const int bytes = *c < 0x80 ? 1 : *c < 0xC2 ? 0 : *c < 0xE0 ? 2 : *c < 0xF0 ? 3 : *c < 0xF5 ? 4 : 0;
  for (int i = 1; i < bytes; i++)
    if ((c[i] & 0xC0) != 0x80) return 0;
  if ((*c == 0xE0 && c[1] < 0xA0) || (*c == 0xF0 && c[1] < 0x90)) return 0; /* too long */
  if ((*c == 0xED && c[1] > 0x9F) || (*c == 0xF4 && c[1] > 0x8F)) return 0; /* surrogates; beyond U+10FFFF */
  return *c == 0xEF && c[1] == 0xBF && c[2] > 0xBD ? 0 : bytes;             /* U+FFFE, U+FFFF */
}

static void put_ascii(FILE *to, char c)
{
  const char *entity = c == '<'   ? "&lt;"
                       : c == '>' ? "&gt;"
                       : c == '&' ? "&amp;"
                       : c == '"' ? "&quot;"
                                  : NULL;
  if (entity)
    (void)fputs(entity, to);
  else
    (void)fputc((unsigned char)c < ' ' ? ' ' : c, to);
}

/* Writes a text, with '?' for each byte that is not part of a character. */
static void put_escaped(FILE *to, const char *text)
{
  while (*text) {
    const int bytes = character_at(text);
    if (bytes == 1)
      put_ascii(to, *text);
    else if (bytes == 0)
      (void)fputc('?', to);
    else
      (void)fwrite(text, 1, (size_t)bytes, to);
    text += bytes > 1 ? bytes : 1;
  }
}

static const char style[] =
    "<style>text{font-family:sans-serif;fill:#222}.title{font-size:14px;font-weight:bold}"
    ".index{font-size:11px;fill:#555}.note{font-size:11px;fill:#555}.grid{stroke:#fff;stroke-opacity:0.55;"
    "stroke-width:1}.edge{stroke:#444;stroke-width:0.8}.frame{fill:none;stroke:#222;stroke-width:1.2}"
    ".cut{stroke:#222;stroke-width:1.6;stroke-dasharray:3 3}</style>\n";

/* Defines the hatches at the scale of elements that are `unit` high and wide. */
static void put_patterns(FILE *to, const char *suffix, const double unit[2])
{
  (void)fprintf(
      to,
      "<pattern id=\"copied%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"scale(%.9g %.9g) rotate(45)\"><rect x=\"0\" y=\"0\" width=\"1.5\" height=\"6\" "
      "fill=\"#222\" fill-opacity=\"0.5\"/></pattern>\n"
      "<pattern id=\"boundary%s\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"scale(%.9g %.9g)\"><circle cx=\"2.5\" cy=\"2.5\" r=\"1.1\" fill=\"#222\" "
      "fill-opacity=\"0.6\"/></pattern>\n",
      suffix, 1 / unit[1], 1 / unit[0], suffix, 1 / unit[1], 1 / unit[0]);
}

void dap_svg_begin(FILE *to, double width, double height, const double unit[2], const char *title)
{
  static const double one[2] = {1, 1};
  (void)fprintf(to,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
                width, height, width, height);
  put_escaped(to, title);
  (void)fprintf(to, "</title>\n%s<defs>\n", style);
  put_patterns(to, "", unit);
  put_patterns(to, "-key", one);
  (void)fprintf(to, "</defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
}

void dap_svg_end(FILE *to)
{
  (void)fputs("</svg>\n", to);
}

void dap_svg_text(FILE *to, double x, double y, const char *anchor, const char *class, const char *text)
{
  (void)fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, class);
  put_escaped(to, text);
  (void)fputs("</text>\n", to);
}

void dap_svg_index(FILE *to, double x, double y, const char *anchor, int64_t index)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRId64, index);
  dap_svg_text(to, x, y, anchor, "index", text);
}

double dap_svg_width(size_t characters, double size)
{
  return 0.6 * size * (double)characters;
}
