#!/bin/sh
# Times moves in simulated time: time.sh TOPOLOGY RANKS CASE METHOD N. Prints "CASE METHOD RANKS N MICROSECONDS".
#
#   TOPOLOGY   fattree: two levels, leaves of 32 hosts, full bisection; 64 ranks and more
#              dragonfly: routers of 8 hosts, groups of 32 to 256, 4 cables between two groups; 64, 256, 1024 or 4096 ranks
#   CASE       cyclic (cyclic(1) to blocks), transpose (slabs to transposed slabs), A (slabs to cyclic(64) x cyclic(64)),
#              copy (one process's array to all), sum (one addend on each process, to all)
#   METHOD     plan, one, two (phases), pack, alltoallw, gemr2d; for copy and sum: mpi, or the width of a tree (0: default)
#   N          elements in all (cyclic), along each axis (transpose, A), on each process (copy, sum)
#
#   cmake --preset smpi && cmake --build --preset smpi --target smpi_times
#   sh tests/bench/simulated/time.sh fattree 64 cyclic pack 16777216
#
# Each host has one rank. The figures are from SimGrid's tutorial on network calibration, for Grid'5000's dahu
# (Omni-Path, 100 Gbit/s, Open MPI). If it gives several for an operation, the most frequent one is used. Computation,
# copies, probes and polls take no time. gemr2d needs ScaLAPACK's sources: DAPBRIDGE_SMPI_SCALAPACK=FOLDER at
# configuration.
set -eu
topology=$1
ranks=$2
shift 2
program=$(cd "$(dirname "$0")/../../.." && pwd)/build/smpi/bin/smpi_times
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

case $topology-$ranks in
  fattree-*) shape="FAT_TREE\" topo_parameters=\"2;32,$((ranks / 32));1,32;1,1" ;;
  dragonfly-64) shape='DRAGONFLY" topo_parameters="2,4;2,3;2,1;8' ;;
  dragonfly-256) shape='DRAGONFLY" topo_parameters="4,4;2,3;4,1;8' ;;
  dragonfly-1024) shape='DRAGONFLY" topo_parameters="8,4;4,3;4,1;8' ;;
  dragonfly-4096) shape='DRAGONFLY" topo_parameters="16,4;4,3;8,1;8' ;;
  *) echo "no such platform: $topology $ranks" >&2; exit 2 ;;
esac
cat >"$folder/platform.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="hosts" prefix="host-" suffix="" radical="0-$((ranks - 1))" speed="1Gf" bw="12.33GBps" lat="100ns"
      topology="$shape" loopback_bw="12GBps" loopback_lat="0"/>
  </zone>
</platform>
XML
seq -f 'host-%.0f' 0 $((ranks - 1)) >"$folder/hostfile"
send='0:2.5e-7:5.0e-11;10079:8.8e-7:4.4e-11;15831:2.1e-6:2.6e-11;63305:2.6e-7:0'

TMPDIR=$folder
export TMPDIR
ulimit -n "$(ulimit -H -n)"
smpirun -np "$ranks" -platform "$folder/platform.xml" -hostfile "$folder/hostfile" \
  --cfg=smpi/privatization:mmap --cfg=contexts/stack-size:256 --cfg=smpi/simulate-computation:no --cfg=smpi/iprobe:0 \
  --cfg=smpi/coll-selector:ompi --cfg=network/crosstraffic:0 \
  --cfg=smpi/async-small-thresh:63305 --cfg=smpi/send-is-detached-thresh:63305 \
  "--cfg=smpi/os:$send" "--cfg=smpi/ois:$send" --cfg='smpi/or:0:1.0e-6:5.2e-11;8319:1.0e-6:5.8e-11;63305:0:0' \
  --cfg=smpi/bw-factor:0:1 --cfg='smpi/lat-factor:0:1;63305:25' --log=root.thresh:warning "$program" "$@"
