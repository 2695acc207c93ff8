#!/bin/sh
# Runs two programs in one job, which find each other by a port whose name is in a file.
#
#   sh coupled.sh <mpirun.sh> <ranks> <program> <ranks> <other program>
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh "$1" "$2" "$3" accept "$folder/port" : -n "$4" "$5" connect "$folder/port"
