/* Finds the nodes on which MPI has placed the processes of a test. The functions work on one host and on
 * several. */
#ifndef DAP_TEST_NODES_H
#define DAP_TEST_NODES_H

#include <stdbool.h>

/* The lowest rank, of MPI_COMM_WORLD, on the node of process `rank`: equal iff the processes are on one
 * node. */
int test_node(int rank);
/* Whether process `rank` is on this one's node. */
bool test_is_mate(int rank);
/* How many processes this one's node has, and how many nodes have processes. */
int test_mates(void);
int test_nodes(void);

/* These transports of a plan of all processes; and messages, as some are to be taken, where there are
 * several nodes. */
unsigned test_joining(unsigned transports);

/* By mpi_test.h, on all processes. */
void test_nodes_find(void);
void test_nodes_forget(void);

#endif
