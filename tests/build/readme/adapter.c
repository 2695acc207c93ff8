/* Compiles the adapter of bridge/docs/adapter.md. */
#include <dapbridge/adapter.h>
#include <stddef.h>

#include "adapter.inc"
