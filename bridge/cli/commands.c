/* Lists the sub-commands and their options, for the arguments and the help. */
#include "cli_impl.h"

const cli_command cli_commands[] = {
    {"check", cli_check, "rqnmj", "FILE...",
     "check whether arrays conform to the protocol, and list the rules they break",
     "Checks, for each document, whether its array conforms to the protocol. Prints the array's layout,\n"
     "or all errors with the numbers of the broken rules. dapbridge rules lists the rules.\n"},
    {"describe", cli_describe, "rnmj", "FILE...", "describe layouts in words",
     "Describes the layout of each document's array in words, with one line per axis. For a .npy file, or\n"
     "a dataset of an HDF5 file such as u.h5:/x, first prints the shape, type and storage order.\n"},
    {"draw", cli_draw, "rponmj", "FILE...", "draw which process owns which elements",
     "Draws which process owns which elements of each document's array: as a table, as an SVG picture\n"
     "with colours and hatched padding (--output), or as JSON for programs (--json).\n"},
    {"explain", cli_explain, "rfnmj", "FILE...",
     "explain whether ScaLAPACK and PETSc can use arrays in place",
     "Prints, for each document's array, whether ScaLAPACK would work in its buffers or on a copy, and\n"
     "why. Describes the matrix. For PETSc, prints whether the global and the local vector of a field\n"
     "would be shared, and the ownership ranges of each axis, or why there are none.\n"},
    {"plan", cli_plan, "rtNonmj", "FROM TO", "print what is needed to move an array to another layout",
     "Prints what is needed to move an array from one layout to another: the bytes that each process\n"
     "sends to each other process, messages and memory. FROM and TO are FILEs with one document each.\n"},
    {"layout", cli_layout, "vktFmj", "LAYOUT...", "print the document of a layout given in a short form",
     "Prints what the processes of an array export, as a document that the other commands read. A LAYOUT,\n"
     "such as '100x80 on 2x2: b, c(8)', gives sizes, processes, and the distribution of each axis:\n"
     "  b    blocks: b[30,70] has blocks of these lengths, b(ceil) has blocks of ceil(size / processes);\n"
     "       further words in parentheses are halo N, boundary N N, periodic, wraps\n"
     "  c    cyclic: c(8) has blocks of 8 elements; with c(8, first 1) process 1 has the first block\n"
     "  u    lists of indices, such as u[0,2,~3][1,3]; ~ marks a ghost\n"
     "  r    replicated\n"
     "  n    not distributed\n"
     "The manual page dapbridge-layout(1) contains the grammar.\n"},
    {"rules", cli_rules, "j", "", "list the rules of the protocol",
     "Lists the rules of the protocol, with the numbers that dapbridge check prints.\n"},
    {.name = NULL},
};

const cli_flag cli_flags[] = {
    {'r', "rules", "VERSION", "read all documents as protocol 0.10.0, 0.9.0 or 0.0.1, whatever they name\n"},
    {'f', "for", "ROUTINE",
     "explain the array as the first matrix of a ScaLAPACK routine, such as pdsyevd\n"},
    {'p', "plane", "PLANE",
     "the plane that is drawn, such as 3,:,: for the elements (3, i, j); default: the\n"
     "first two axes at index 0 of the others\n"},
    {'t', "type", "TYPE",
     "the type of elements, such as float64 or '<f8'; default: the documents' type, or\n"
     "float64; for layout no type, so that buffers have only shapes\n"},
    {'v', "protocol", "V",
     "write protocol 0.10.0, 0.9.0 or 0.0.1; default 0.10.0, or 0.9.0 if only 0.9.0\n"
     "can describe the layout\n"},
    {'k', "rank", "N", "print only the part of process N\n"},
    {'F', "fortran", NULL, "buffers are in F order; default: in C order\n"},
    {'N', "node", "RANKS", "the number of consecutive ranks on each node; default 1\n"},
    {'o', "output", "FILE", "write an SVG picture to FILE; - is standard output\n"},
    {'q', "quiet", NULL, "print nothing for documents that conform\n"},
    {'j', "json", NULL, "print a line of JSON for each document or rule; the manual page lists the keys\n"},
    {'n', "findings", "N",
     "print at most N errors of a document, and count the rest; 0: all; default 1000\n"},
    {'m', "memory", "SIZE", "use at most SIZE of memory for documents, such as 500M or 64G; default 4G\n"},
    {'h', "help", NULL, "print this text\n"},
    {.name = NULL},
};
