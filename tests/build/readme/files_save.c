/* The page's checkpoint. */
#include <dapbridge/shared.h>

#include "files_save.inc"
