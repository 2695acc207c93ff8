/* Lists the sub-commands and their options, for the arguments and the help. */
#include "cli_impl.h"

static const cli_command commands[] = {
    {"check", cli_check, "rqnmj", "FILE...",
     "say whether arrays conform to the protocol, and which rules they break",
     "Says of each document whether the distributed array in it conforms to the protocol: what its layout "
     "is,\n"
     "or all that is wrong with it, and the numbers of the rules (which dapbridge rules lists).\n"},
    {"describe", cli_describe, "rnmj", "FILE...", "describe layouts in words",
     "Describes the layout of each document's array in words, one line an axis. For a .npy file, or\n"
     "a dataset of an HDF5 file such as u.h5:/x, shape, type and storage order come first.\n"},
    {"draw", cli_draw, "rponmj", "FILE...", "draw which process owns which elements",
     "Draws which process owns which elements of each document's array: as a table, or with --output as an "
     "SVG\n"
     "picture in colours, with padding hatched, or with --json for programs.\n"},
    {"explain", cli_explain, "rfnmj", "FILE...",
     "say whether ScaLAPACK and PETSc take arrays as they lie, and why",
     "Says of each document's array whether ScaLAPACK works in its buffers or on a copy, as which matrix, "
     "and "
     "why;\n"
     "and of each axis PETSc's ownership ranges, or why it has none.\n"},
    {"plan", cli_plan, "rtNonmj", "FROM TO", "say what moving an array to another layout takes",
     "Says what it takes to move an array from one layout to another: the bytes that each process sends to\n"
     "each, messages and memory. FROM and TO are FILEs with one document each.\n"},
    {"layout", cli_layout, "vktFmj", "LAYOUT...", "print the document of a layout given in a short form",
     "Prints what the processes of an array export, as a document that the other commands read, of each\n"
     "LAYOUT, such as '100x80 on 2x2: b, c(8)': sizes, processes, and the distribution of each axis:\n"
     "  b    blocks: b[30,70] of these lengths, b(ceil) of ceil(size / processes); and in parentheses\n"
     "       halo N, boundary N N, periodic, wraps\n"
     "  c    cyclic: c(8) in blocks of 8, c(8, first 1) beginning with process 1\n"
     "  u    lists of indices: u[0,2,~3][1,3], ~ marks a ghost\n"
     "  r    replicated\n"
     "  n    not distributed\n"
     "The manual page dapbridge-layout(1) has the grammar.\n"},
    {"rules", cli_rules, "j", "", "list the rules of the protocol",
     "Lists the rules of the protocol by the numbers that dapbridge check names.\n"},
};

static const cli_flag flags[] = {
    {'r', "rules", "VERSION",
     "read by the rules of protocol 0.10.0, 0.9.0 or 0.0.1, whatever version the\n"
     "documents name\n"},
    {'f', "for", "ROUTINE",
     "as the first matrix of that ScaLAPACK routine, such as pdsyevd: meeting what it\n"
     "needs\n"},
    {'p', "plane", "PLANE",
     "which plane of an array of three axes or more, such as 3,:,: for the elements\n"
     "(3, i, j); default: the first two axes at index 0 of the others\n"},
    {'t', "type", "TYPE",
     "elements are of that type, such as float64 or '<f8'; default: of the documents'\n"
     "type, else float64; of layout: none, buffers have shapes only\n"},
    {'v', "protocol", "V",
     "in protocol 0.10.0, 0.9.0 or 0.0.1; default 0.10.0, or 0.9.0 where only that can\n"
     "say it\n"},
    {'k', "rank", "N", "the part of process N alone\n"},
    {'F', "fortran", NULL, "buffers are in F order; default: in C order\n"},
    {'N', "node", "RANKS", "so many ranks are on each node, in their order; default 1\n"},
    {'o', "output", "FILE", "write an SVG picture to FILE; - is standard output\n"},
    {'q', "quiet", NULL, "say nothing of documents that conform\n"},
    {'j', "json", NULL,
     "print JSON, a line for each document or rule, with the keys that the manual page lists\n"},
    {'n', "findings", "N",
     "print N errors of a document at most, and how many more there are; 0: all;\n"
     "default 1000\n"},
    {'m', "memory", "SIZE", "take at most SIZE of memory for documents, such as 500M or 64G; default 4G\n"},
    {'h', "help", NULL, "print this text\n"},
};

const cli_command *cli_command_at(int index)
{
  return index < (int)(sizeof commands / sizeof commands[0]) ? &commands[index] : NULL;
}

const cli_flag *cli_flag_at(int index)
{
  return index < (int)(sizeof flags / sizeof flags[0]) ? &flags[index] : NULL;
}
