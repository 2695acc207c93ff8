/* Names the processes of two groups in texts. The caller knows their ranks in the groups, not in both. */
#include "comm_impl.h"

#include <stdio.h>
#include <string.h>

/* Returns the group of a rank of both; -1: there are no groups. *in_group receives its rank there. */
static int find_group(const dap_groups *groups, int rank, int *in_group)
{
  if (!groups || groups->size[0] == 0) return -1;
  const int group = rank >= groups->size[0];
  *in_group = group == 0 ? rank : rank - groups->size[0];
  return group;
}

void dap_groups_rank(const dap_groups *groups, int sender, int rank, char text[DAP_RANK_TEXT])
{
  int in_group = rank;
  const int group = find_group(groups, rank, &in_group);
  const char *what = "";
  if (group >= 0 && sender >= 0) what = group == sender ? " of the sending group" : " of the receiving group";
  if (group >= 0 && sender < 0) what = group == groups->own ? " of this group" : " of the other group";
  (void)snprintf(text, DAP_RANK_TEXT, "rank %d%s", group < 0 ? rank : in_group, what);
}

/* Replaces "as on rank 0" at the end of a text, because the caller does not know rank 0 of both groups. */
static void hide_rank_0(char text[])
{
  static const char known[] = "as on rank 0";
  char *at = strstr(text, known);
  if (at && !at[sizeof known - 1]) (void)snprintf(at, sizeof known, "everywhere");
}

void dap_groups_name(const dap_groups *groups, int sender, dap_error *err)
{
  char prefix[32], name[DAP_RANK_TEXT], text[DAP_ERROR_TEXT];
  int rank = -1;
  if (!err || err->rank < 0) return;
  const int length = snprintf(prefix, sizeof prefix, "rank %d: ", err->rank);
  const int group = find_group(groups, err->rank, &rank);
  if (group < 0 || strncmp(err->text, prefix, (size_t)length) != 0) return;
  memcpy(text, err->text, sizeof text);
  text[sizeof text - 1] = '\0';
  hide_rank_0(text);
  dap_groups_rank(groups, sender, err->rank, name);
  if (sender < 0) /* all processes have the same text */
    (void)snprintf(name, sizeof name, "rank %d of a group of %d", rank, groups->size[group]);
  (void)snprintf(err->text, sizeof err->text, "%s: %.440s", name, text + length);
  err->rank = rank;
}
