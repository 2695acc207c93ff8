/* Rows of a file. */
#include <dapbridge/file.h>

#include "files_part.inc"
