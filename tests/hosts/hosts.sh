#!/bin/sh
# Makes several hosts of this machine, runs a command on them, and removes them, however the command ends.
# cmake/mpirun.sh and Open MPI's mpiexec start their processes on these hosts; another MPI's mpiexec does not know them.
# Needs Linux, and root or users who may make namespaces; otherwise it prints the reason and exits with status 77.
#
#   sh tests/hosts/hosts.sh <hosts> <command> [argument...]
#   sh tests/hosts/hosts.sh 3 sh cmake/mpirun.sh 6 build/dev/bin/transfer_engine
#
# A host has a name (host1, host2, ...), a network interface, an empty /dev/shm and its own processes. It shares this
# machine's files. Hosts receive equal parts of the ranks, 0 1 2 | 3 4 5, and messages between hosts use TCP. The
# command itself is on the network, too, but on none of these hosts. Environment, besides that of cmake/mpirun.sh:
#
#   DAP_DEAL=turn           deals ranks in turn: 0 2 4 | 1 3 5
#   DAP_NET=loopback        uses one network interface for all, the fastest; otherwise each host has one, on a switch
#   DAP_RATE=1gbit          limits the rate at which a host sends
#   DAP_DELAY=2ms           delays frames from a host to any other
#   DAP_LOSS=0.1%           loses this part of the frames; this and the delay need
#   DAP_WIRE=<program>      hosts_wire of a build: it is the network, and takes time of a processor
set -eu
say() {
  echo "hosts.sh: $*" >&2
}
fail() {
  say "$@"
  exit 1
}
skip() {
  say "skipped: $*"
  exit 77
}

# All processes are in namespaces that end with their first process, which runs this script again.
if [ -z "${DAP_HOSTS_FOLDER:-}" ]; then
  [ $# -ge 2 ] || fail "hosts.sh <hosts> <command> [argument...]"
  for tool in ip nsenter unshare; do
    command -v "$tool" >/dev/null || skip "no $tool (Debian: iproute2, util-linux)"
  done
  user=
  [ "$(id -u)" -eq 0 ] || user='--user --map-root-user'
  # If one of the processes is killed, the others end with it.
  enter="unshare $user --fork --pid --kill-child --mount-proc --uts --net --"
  ! command -v setpriv >/dev/null || enter="setpriv --pdeathsig KILL -- $enter"
  $enter true 2>/dev/null || skip "no namespaces can be made here"
  folder=$(mktemp -d)
  inner=
  trap 'rm -rf "$folder"' EXIT
  trap '[ -z "$inner" ] || kill -KILL "$inner"; exit 1' HUP INT TERM
  DAP_HOSTS_FOLDER=$folder $enter sh "$0" "$@" &
  inner=$!
  code=0
  wait "$inner" || code=$?
  exit "$code"
fi

folder=$DAP_HOSTS_FOLDER
unset DAP_HOSTS_FOLDER
count=$1
shift
mkdir "$folder/tmp"
export TMPDIR="$folder/tmp" # removed even if the command is killed
hostname launcher
ip link set lo up

# make <host>: starts the first process of a host, and writes its number in the outer /proc to $folder/<host>.
make() {
  mkfifo "$folder/made"
  own=--net
  [ "${DAP_NET:-}" != loopback ] || own=--uts
  # shellcheck disable=SC2016 # for the inner shell
  unshare --fork --pid --mount --uts "$own" sh -c '
    read -r number rest </proc/self/stat
    hostname "$1" && mount -t proc proc /proc && mount -t tmpfs none /dev/shm && ip link set lo up || number=
    echo "$number" >"$2"
    exec sleep infinity' sh "$1" "$folder/made" &
  read -r number <"$folder/made"
  rm "$folder/made"
  [ -n "$number" ] || fail "$1 could not be made"
  echo "$number" >"$folder/$1"
}
on() { # on <host> <command>...: runs a command in the host's network
  number=$(cat "$folder/$1")
  shift
  nsenter --target "$number" --net -- "$@"
}
connect() { # connect <host>: makes its net0, with a cable to the switch or as one end of the wire
  if [ -n "$wire" ]; then
    on "$1" ip tuntap add dev net0 mode tap
  else
    ip link add "to-$1" type veth peer name net0 netns "$(cat "$folder/$1")" || skip "no virtual cable (veth)"
    ip link set "to-$1" master net0 up
    [ -z "${DAP_RATE:-}" ] || on "$1" tc qdisc add dev net0 root tbf rate "$DAP_RATE" burst 64kb latency 100ms ||
      fail "no rate: no sch_tbf"
  fi
}

names=$(seq -f 'host%g' "$count")
for name in $names; do make "$name"; done
interface=net0
wire=${DAP_DELAY:-}${DAP_LOSS:-}
if [ "${DAP_NET:-}" = loopback ]; then
  [ -z "$wire${DAP_RATE:-}" ] || fail "a loopback has no rate, delay or loss"
  interface=lo
  ip address add 10.77.0.1/24 dev lo
else
  if [ -n "$wire" ]; then
    ip tuntap add dev net0 mode tap
  else
    ip link add net0 type bridge || skip "no switch (bridge)"
  fi
  for name in $names; do connect "$name"; done
  if [ -n "$wire" ]; then
    [ -x "${DAP_WIRE:-}" ] || fail "a delay or a loss needs DAP_WIRE"
    # shellcheck disable=SC2046 # several words
    "$DAP_WIRE" "${DAP_DELAY:-0}" "${DAP_RATE:-0}" "${DAP_LOSS:-0}" /proc/self/ns/net \
      $(for name in $names; do echo "/proc/$(cat "$folder/$name")/ns/net"; done) &
  fi
  ip address add 10.77.0.254/24 dev net0
  ip link set net0 up
  for name in $names; do
    on "$name" ip address add "10.77.0.${name#host}/24" dev net0
    on "$name" ip link set net0 up
  done
fi

# The launcher calls this agent instead of ssh to start its daemon on a host: <host> <command>.
cat >"$folder/agent" <<END
#!/bin/sh
read -r number <"$folder/\$1"
shift
exec nsenter --target "\$number" --net --uts --mount --pid --wd="\$PWD" -- sh -c "\$*"
END
chmod +x "$folder/agent"
for name in $names; do echo "$name slots=64"; done >"$folder/hosts"
export OMPI_MCA_plm_rsh_agent="$folder/agent" OMPI_MCA_plm_rsh_no_tree_spawn=1
export OMPI_MCA_orte_default_hostfile="$folder/hosts"
export OMPI_MCA_rmaps_base_mapping_policy=node OMPI_MCA_rmaps_base_ranking_policy=slot
[ "${DAP_DEAL:-}" != turn ] || export OMPI_MCA_rmaps_base_ranking_policy=node
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,vader,self
export OMPI_MCA_btl_tcp_if_include="$interface" OMPI_MCA_oob_tcp_if_include="$interface"
# Open MPI 5 needs the same settings under other names. It accepts vader as a name of sm.
export PRTE_MCA_plm_ssh_agent="$folder/agent" PRTE_MCA_plm_ssh_no_tree_spawn=1
export PRTE_MCA_prte_default_hostfile="$folder/hosts" PRTE_MCA_prte_if_include="$interface"
export PRTE_MCA_rmaps_default_mapping_policy=node:oversubscribe PRTE_MCA_rmaps_default_ranking_policy=slot
[ "${DAP_DEAL:-}" != turn ] || export PRTE_MCA_rmaps_default_ranking_policy=node
export OMPI_MCA_btl_sm_backing_directory=/dev/shm OMPI_MCA_osc_sm_backing_directory=/dev/shm # each host's own folder
export DAP_TEST_NODES="$count" # the project's tests fail on another number of nodes
"$@"
