#!/bin/sh
# Runs a program on simulated hosts, with this number of ranks on each: run.sh HOSTS RANKS_A_HOST PROGRAM [ARGUMENT]...
# All hosts are one process of this machine. Their times say nothing about speed.
set -eu
hosts=$1
each=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="hosts" prefix="host-" suffix="" radical="0-$((hosts - 1))" speed="1Gf" bw="10GBps" lat="1us"
    sharing_policy="FATPIPE"/>
</platform>
END
awk -v hosts="$hosts" -v each="$each" \
  'BEGIN { for (h = 0; h < hosts; h++) for (i = 0; i < each; i++) print "host-" h }' >"$folder/hostfile"

# Each rank has its own copy of the program's variables, and a small stack, in one address space. Detached sends would
# stay in lists that each message searches. Collectives use the fewest messages.
TMPDIR=$folder
export TMPDIR
ulimit -n "$(ulimit -H -n)"
smpirun -np $((hosts * each)) -platform "$folder/platform.xml" -hostfile "$folder/hostfile" \
  --cfg=smpi/privatization:mmap --cfg=contexts/stack-size:256 --cfg=smpi/simulate-computation:no \
  --cfg=smpi/send-is-detached-thresh:0 --cfg=smpi/coll-selector:ompi --cfg=smpi/alltoall:bruck \
  --log=root.thresh:warning "$@"
