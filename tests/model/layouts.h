/* Makes layouts for tables, and checks the texts that describe them. */
#ifndef DAP_TEST_LAYOUTS_H
#define DAP_TEST_LAYOUTS_H

#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/parse.h>

/* Returns the layout that the text describes, or NULL. */
static inline dap_layout *read_layout(const char *text)
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_parse(text, &layout, &err), &err);
  return layout;
}

typedef size_t text_writer(const dap_layout *layout, char *text, size_t capacity);

/* Checks that `write` gives the expected text, and as much of it as the capacity allows. */
static inline void expect_text(text_writer *write, const dap_layout *layout, const char *want)
{
  char text[8192] = "";
  EXPECT_INT(write(layout, text, sizeof text), strlen(want));
  EXPECT_MSG(!strcmp(text, want), "text is\n%s", text);
  EXPECT_INT(write(layout, NULL, 0), strlen(want));
  for (size_t capacity = 1; capacity < 12; capacity++) {
    memset(text, '#', sizeof text);
    EXPECT_INT(write(layout, text, capacity), strlen(want));
    EXPECT(!strncmp(text, want, capacity - 1));
    EXPECT(strlen(text) == (strlen(want) < capacity ? strlen(want) : capacity - 1));
    EXPECT(text[capacity] == '#');
  }
}

#endif
