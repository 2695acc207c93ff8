/* What the two files of the oracle share. Neither calls the library nor its reader: what they know is written
 * here once more, from the rules' text. */
#ifndef DAP_ORACLE_H
#define DAP_ORACLE_H

#include "vectors.h"

/* Rule 1: a dialect, and how it says and means things. */
typedef struct speech {
  const char *versions; /* "0.10.": and a patch level; else all of it */
  bool is_tuple;
  const char *dim_data, *dist_type, *size, *procs, *rank, *block_size, *one_to_one;
  bool has_empty;      /* rule 12 */
  bool padding_inside; /* rule 8 */
  bool wraps;          /* rule 9 */
} speech;

void oracle_fault(oracle *judged, fault f);

/* oracle_dim.c: one dictionary; extent: the buffer's, or -1. */
void oracle_dim(const speech *dialect, const json_t *dim, int64_t extent, oracle *judged, oracle_axis *axis);

#endif
