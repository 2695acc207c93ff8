/* Declarations of the files about replicated and partial axes.
 *
 *     copies         a plan's numbers of them; processes by rank
 *     copies_read    which copy of the source is read
 *     copies_order   in which order the copies of the destination get an element, in which pass
 *
 * A process of the source is a block p, the copy of it that it is and the term of it that it has: its
 * coordinates along the other axes, along replicated and along partial ones. A process of the destination is
 * a block q and a copy of that. What p has for q must get to all copies of q, and the fewest transfers of an
 * element are
 *     copies of q that are not on processes that have p, where p has one term;
 *     terms - 1, and copies of q - 1, and 1 more if no copy of q is on a process that has a term of p:
 * before any process has the sum each term but one has to leave its process, and each other copy takes one
 * transfer more. Both ends of a channel choose by the same rules, from the layouts and nodes alone. */
#ifndef DAP_COPIES_IMPL_H
#define DAP_COPIES_IMPL_H

#include "problem_impl.h"

/* copies.c */
/* The number, row-major, of the coordinates along the chosen axes of a side; and back. */
int dap_copies_number_along(const dap_problem *problem, bool of_from, const bool chosen[],
                            const int coords[]);
void dap_copies_coords_along(const dap_problem *problem, bool of_from, const bool chosen[], int number,
                             int coords[]);
/* Sets coords[] to those of the process of a side that a rank is; false: it is none. */
bool dap_copies_find(const dap_problem *problem, bool of_from, int rank, int coords[]);
/* Sorts by group and copy; then, those in a group: all[*first, *first + their number). */
void dap_grouped_sort(dap_grouped all[], int count);
int dap_grouped_find(const dap_grouped all[], int count, int group, int *first);

#endif
