#!/bin/sh
# Runs a program over TCP, on two hosts that are made of this machine, and removes them. As root, on Linux, with Open MPI:
#
#   sh tests/bench/network.sh loopback <ranks> <program> [argument...]    the hosts share a loopback interface
#   sh tests/bench/network.sh wire <ranks> <program> [argument...]        each has a network namespace of its own
#
# A host is a name (a UTS namespace), so that MPI, and with it the library, take its processes for those of another node;
# the ranks are dealt to the two in halves. The wire is a pair of virtual interfaces. Environment, of both directions:
# DAP_RATE (such as 1gbit); DAP_DELAY (such as 0.1ms), for which bench_wire, built beside the program, is the wire: it takes
# time of a processor. And that of cmake/mpirun.sh.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
fail() {
  echo "network.sh: $*" >&2
  exit 1
}
[ $# -ge 3 ] || fail "network.sh loopback|wire <ranks> <program> [argument...]"
place=$1
ranks=$2
shift 2
[ "$(id -u)" -eq 0 ] || fail "namespaces need root"
for tool in ip tc nsenter unshare; do
  command -v "$tool" >/dev/null || fail "no $tool (Debian: iproute2, util-linux)"
done

first=dap-$$-a
second=dap-$$-b
folder=$(mktemp -d)
wire=
end() {
  [ -z "$wire" ] || kill "$wire" 2>/dev/null || :
  for name in "$first" "$second"; do ip netns delete "$name" 2>/dev/null || :; done
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 1' HUP INT TERM

# Both ends of the wire: with a delay, those of bench_wire; else what leaves a host is so slow.
make_ends() {
  if [ -n "${DAP_DELAY:-}" ]; then
    [ -x "$(dirname "$1")/bench_wire" ] || fail "no bench_wire beside $1"
    for host in "$first" "$second"; do ip -n "$host" tuntap add dev net0 mode tap; done
    # shellcheck disable=SC2086 # words
    "$(dirname "$1")/bench_wire" "/run/netns/$first" "/run/netns/$second" "$DAP_DELAY" ${DAP_RATE:-} &
    wire=$!
    return
  fi
  ip link add net0 netns "$first" type veth peer name net0 netns "$second"
  [ -n "${DAP_RATE:-}" ] || return 0
  for host in "$first" "$second"; do
    tc -n "$host" qdisc add dev net0 root tbf rate "$DAP_RATE" burst 64kb latency 100ms || fail "no rate: no sch_tbf"
  done
}

ip netns add "$first"
ip -n "$first" link set lo up
case $place in
  loopback)
    [ -z "${DAP_RATE:-}${DAP_DELAY:-}" ] || fail "a rate or a delay needs the wire"
    second=$first
    interface=lo
    ip -n "$first" address add 10.77.0.1/24 dev lo
    ;;
  wire)
    interface=net0
    ip netns add "$second"
    make_ends "$1"
    ip -n "$second" link set lo up
    for host in "$first 10.77.0.1" "$second 10.77.0.2"; do
      ip -n "${host% *}" address add "${host#* }/24" dev net0
      ip -n "${host% *}" link set net0 up
    done
    ;;
  *) fail "$place: neither loopback nor wire" ;;
esac

# How the launcher starts its daemon on the other host, in place of ssh: <host> <command>.
cat >"$folder/agent" <<END
#!/bin/sh
shift
exec nsenter --net=/run/netns/$second unshare --uts sh -c "hostname dap-b && \$*"
END
chmod +x "$folder/agent"
half=$(((ranks + 1) / 2))
printf 'dap-a slots=%d\ndap-b slots=%d\n' "$half" "$half" >"$folder/hosts"

export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self
export OMPI_MCA_btl_tcp_if_include="$interface" OMPI_MCA_oob_tcp_if_include="$interface"
export OMPI_MCA_plm_rsh_agent="$folder/agent" OMPI_MCA_orte_default_hostfile="$folder/hosts"
export OMPI_MCA_rmaps_base_mapping_policy=slot
nsenter --net="/run/netns/$first" unshare --uts \
  sh -c 'hostname dap-a && exec sh "$@"' sh "$root/cmake/mpirun.sh" "$ranks" "$@"
