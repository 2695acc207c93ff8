/* The page's adapter. */
#include <dapbridge/adapter.h>
#include <stddef.h>

#include "adapter.inc"
