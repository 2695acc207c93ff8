/* Lists the kinds of views of an array as a field. */
#ifndef DAP_BENCH_FIELD_VIEWS_H
#define DAP_BENCH_FIELD_VIEWS_H

/* Places in the table of method_field_view.c. */
enum {
  FIELD_VIEW_READ,
  FIELD_VIEW_WRITE,
  FIELD_VIEW_BOTH,
  FIELD_VIEW_KEPT_READ,
  FIELD_VIEW_KEPT_WRITE,
  FIELD_VIEW_KEPT_BOTH
};

#endif
