/* Declarations of the files about replicated and partial axes.
 *
 *     copies         counts copies and addends, and finds processes by rank
 *     copies_read    chooses the copy of the source that is read
 *     copies_order   chooses the order in which the copies of the destination get an element, and the pass
 *
 * A process of the source has a block p, and of that one copy of one addend. Its coordinates along replicated
 * axes are the copy, those along partial axes the addend, and those along all others the block. A process of
 * the destination has one copy of a block q. Elements that p has for q must get to all copies of q. The
 * fewest transfers of an element are
 *     one for each copy of q that is not on a process with p, if p has one addend;
 *     addends - 1, and copies of q - 1, and 1 more if no copy of q is on a process with an addend of p.
 * Each addend except one has to leave its process before any process has the sum, and each other copy takes
 * one transfer more. Both ends of a channel choose by the same rules, and know only the layouts and the
 * nodes. */
#ifndef DAP_COPIES_IMPL_H
#define DAP_COPIES_IMPL_H

#include "problem_impl.h"

/* copies.c */
/* Returns the row-major number of the coordinates along the chosen axes of a side; and sets the coordinates
 * that have a number. */
int dap_copies_number_along(const dap_problem *problem, bool of_from, const bool chosen[],
                            const int coords[]);
void dap_copies_coords_along(const dap_problem *problem, bool of_from, const bool chosen[], int number,
                             int coords[]);
/* Sets coords[] to the coordinates of a rank on a side. False: the rank is not part of the side. */
bool dap_copies_find(const dap_problem *problem, bool of_from, int rank, int coords[]);
/* Sorts by group and copy. Then finds the copies of a group: all[*first, *first + the number returned). */
void dap_grouped_sort(dap_grouped all[], int count);
int dap_grouped_find(const dap_grouped all[], int count, int group, int *first);

#endif
