#include "svg.h"

#include <stdarg.h>

bool svg_begin(svg *picture, const char *path, double width, double height)
{
  *picture = (svg){.file = fopen(path, "w"), .width = width, .height = height};
  if (!picture->file) return false;
  fprintf(picture->file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
          "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n",
          width, height, width, height);
  svg_rectangle(picture, 0, 0, width, height, "#ffffff");
  return true;
}

void svg_rectangle(const svg *picture, double x, double y, double width, double height, const char *colour)
{
  fprintf(picture->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y,
          width, height, colour);
}

void svg_line(const svg *picture, double x1, double y1, double x2, double y2, const char *colour,
              double thick)
{
  fprintf(picture->file,
          "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" stroke-width=\"%g\"/>\n", x1,
          y1, x2, y2, colour, thick);
}

void svg_dot(const svg *picture, double x, double y, double radius, const char *colour)
{
  fprintf(picture->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\" fill=\"%s\"/>\n", x, y, radius, colour);
}

void svg_title(const svg *picture, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("<g><title>", picture->file);
  vfprintf(picture->file, format, arguments);
  fputs("</title>\n", picture->file);
  va_end(arguments);
}

void svg_untitle(const svg *picture)
{
  fputs("</g>\n", picture->file);
}

void svg_text(const svg *picture, double x, double y, const svg_font *font, const char *format, ...)
{
  static const char *const anchors[] = {"start", "middle", "end"};
  va_list arguments;
  va_start(arguments, format);
  fprintf(picture->file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%s\"", x, y,
          font->size, anchors[font->anchor], font->colour ? font->colour : "#333333");
  if (font->bold) fputs(" font-weight=\"bold\"", picture->file);
  if (font->upwards) fprintf(picture->file, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
  fputs(">", picture->file);
  vfprintf(picture->file, format, arguments);
  fputs("</text>\n", picture->file);
  va_end(arguments);
}

bool svg_end(svg *picture)
{
  fputs("</svg>\n", picture->file);
  const bool failed = ferror(picture->file);
  return fclose(picture->file) == 0 && !failed;
}
