/* Makes arrays that are described in words. */
#ifndef DAP_TEST_FIXTURE_H
#define DAP_TEST_FIXTURE_H

#include "buffers.h"
#include "mpi_test.h"

#include <dapbridge/parse.h>

typedef struct fixture {
  dap_layout *layout;
  dap_array local;
} fixture;

/* Makes an array with the layout that `format` describes for the number of processes. Each element tells
 * its place. */
static inline fixture fixture_make(dap_dtype dtype, dap_order order, const char *format)
{
  fixture f = {0};
  dap_error err = {0};
  char text[128];
  snprintf(text, sizeof text, format, test_nprocs());
  EXPECT_OK(dap_layout_parse(text, &f.layout, &err), &err);
  EXPECT_OK(dap_array_init(&f.local, f.layout, test_rank(), dtype, order, NULL, &err), &err);
  fill_global(f.layout, test_rank(), &f.local);
  return f;
}

static inline void fixture_end(fixture *f)
{
  dap_array_release(&f->local);
  dap_layout_destroy(&f->layout);
}

#endif
