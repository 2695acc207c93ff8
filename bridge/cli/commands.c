/* Lists the sub-commands and their options, for the arguments and the help. */
#include "cli_impl.h"

const cli_command cli_commands[] = {
    {"check", cli_check, "rqnmj", "FILE...",
     "say whether arrays conform to the protocol, and which rules they break",
     "Prints for each document whether the distributed array in it conforms to the protocol: its layout,\n"
     "or all errors with the numbers of the rules, which dapbridge rules lists.\n"},
    {"describe", cli_describe, "rnmj", "FILE...", "describe layouts in words",
     "Describes the layout of each document's array in words, one line an axis. For a .npy file, or\n"
     "a dataset of an HDF5 file such as u.h5:/x, shape, type and storage order come first.\n"},
    {"draw", cli_draw, "rponmj", "FILE...", "draw which process owns which elements",
     "Draws which process owns which elements of each document's array: as a table, or with --output as\n"
     "an SVG picture in colours, with padding hatched, or with --json for programs.\n"},
    {"explain", cli_explain, "rfnmj", "FILE...",
     "say whether ScaLAPACK and PETSc take arrays as they lie, and why",
     "Prints for each document's array whether ScaLAPACK works in its buffers or on a copy, as which\n"
     "matrix, and why. Prints the same for the global and the local vector of a PETSc field, and for each\n"
     "axis PETSc's ownership ranges, or why it has none.\n"},
    {"plan", cli_plan, "rtNonmj", "FROM TO", "say what moving an array to another layout takes",
     "Prints what it takes to move an array from one layout to another: the bytes that each process sends\n"
     "to each, messages and memory. FROM and TO are FILEs with one document each.\n"},
    {"layout", cli_layout, "vktFmj", "LAYOUT...", "print the document of a layout given in a short form",
     "Prints what the processes of an array export, as a document that the other commands read. A LAYOUT,\n"
     "such as '100x80 on 2x2: b, c(8)', has sizes, processes, and the distribution of each axis:\n"
     "  b    blocks: b[30,70] of these lengths, b(ceil) of ceil(size / processes); and in parentheses\n"
     "       halo N, boundary N N, periodic, wraps\n"
     "  c    cyclic: c(8) in blocks of 8, c(8, first 1) beginning with process 1\n"
     "  u    lists of indices: u[0,2,~3][1,3], ~ marks a ghost\n"
     "  r    replicated\n"
     "  n    not distributed\n"
     "The manual page dapbridge-layout(1) has the grammar.\n"},
    {"rules", cli_rules, "j", "", "list the rules of the protocol",
     "Lists the rules of the protocol by the numbers that dapbridge check names.\n"},
    {.name = NULL},
};

const cli_flag cli_flags[] = {
    {'r', "rules", "VERSION",
     "read all documents as protocol 0.10.0, 0.9.0 or 0.0.1; default: as they say\n"},
    {'f', "for", "ROUTINE", "take the array as the first matrix of a ScaLAPACK routine, such as pdsyevd\n"},
    {'p', "plane", "PLANE",
     "the plane that is drawn, such as 3,:,: for the elements (3, i, j); default: the\n"
     "first two axes at index 0 of the others\n"},
    {'t', "type", "TYPE",
     "the type of elements, such as float64 or '<f8'; default: the documents' type,\n"
     "else float64; of layout: none, buffers have shapes only\n"},
    {'v', "protocol", "V",
     "write protocol 0.10.0, 0.9.0 or 0.0.1; default 0.10.0, or 0.9.0 if only that can\n"
     "describe the layout\n"},
    {'k', "rank", "N", "print only the part of process N\n"},
    {'F', "fortran", NULL, "buffers are in F order; default: in C order\n"},
    {'N', "node", "RANKS", "the number of ranks on each node, in their order; default 1\n"},
    {'o', "output", "FILE", "write an SVG picture to FILE; - is standard output\n"},
    {'q', "quiet", NULL, "print nothing about documents that conform\n"},
    {'j', "json", NULL, "print a line of JSON for each document or rule; the manual page lists the keys\n"},
    {'n', "findings", "N",
     "print at most N errors of a document, and count the rest; 0: all; default 1000\n"},
    {'m', "memory", "SIZE", "take at most SIZE of memory for documents, such as 500M or 64G; default 4G\n"},
    {'h', "help", NULL, "print this text\n"},
    {.name = NULL},
};
