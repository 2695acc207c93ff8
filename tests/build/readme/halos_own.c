#include <dapbridge/plan.h>

#include "halos_own.inc"
