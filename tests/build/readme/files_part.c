/* Compiles code of bridge/docs/files.md: rows of a file. */
#include <dapbridge/file.h>

#include "files_part.inc"
