/* Compiles code of bridge/docs/files.md: a checkpoint. */
#include <dapbridge/shared.h>

#include "files_save.inc"
