#!/bin/sh
# Checks that files without permission to read, write or look for give a clear message and status 2. Root has all
# permissions, so it becomes nobody. If it cannot, the test exits with status 77 (skipped).
#
#   sh permission.sh <dapbridge>
set -eu
dapbridge=$1
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"

# Coverage counts of this run must not overwrite those of the user who built.
mkdir -m 777 counts
export GCOV_PREFIX="$work/counts"

as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
  command -v setpriv >/dev/null || { echo "there is no setpriv to become another user with"; exit 77; }
  as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
fi
as_user "$dapbridge" --version >/dev/null || { echo "another user cannot run $dapbridge"; exit 77; }

mkdir open shut
"$dapbridge" layout '4 on 2' >open/a.json
cp open/a.json open/secret.json
cp open/a.json shut/a.json
echo mine >open/kept.svg
chmod 000 open/secret.json
chmod 555 open
chmod 444 open/kept.svg
chmod 000 shut

fails=0
try() { # try <status> <pattern of the output, standard error included> <argument>...
  status=$1 said=$2
  shift 2
  code=0
  found=$(as_user "$dapbridge" "$@" 2>&1) || code=$?
  # shellcheck disable=SC2254 # a pattern
  case $code:$found in
    $status:$said) ;;
    *) printf 'dapbridge %s:\n%s\nstatus %s instead of %s:\n%s\n' "$*" "$found" "$code" "$status" "$said" && fails=1 ;;
  esac
}

try 0 'open/a.json: conforming: 4 over 2: block' check open/a.json
try 2 'dapbridge: open/secret.json: Permission denied' check open/secret.json
try 2 'dapbridge: shut/a.json: Permission denied' describe shut/a.json
try 2 'dapbridge: open/secret.json: Permission denied' plan open/secret.json '4 on 1'
try 2 'dapbridge: open/x.svg: cannot be written: Permission denied' draw -o open/x.svg '4 on 2'
try 2 'dapbridge: open/kept.svg: cannot be written: Permission denied' draw -o open/kept.svg '4 on 2'
try 2 'dapbridge: open/kept.svg: cannot be written: Permission denied' plan -o open/kept.svg '4 on 2' '4 on 1'
try 2 'dapbridge: shut/x.svg: cannot be written: Permission denied' plan -o shut/x.svg '4 on 2' '4 on 1'
[ "$(cat open/kept.svg)" = mine ] || { echo "kept.svg has changed"; fails=1; }
[ ! -e open/x.svg ] || { echo "x.svg is there"; fails=1; }

# A layout in words needs no file, so it works in any folder. If a file has this name, the file is read.
chmod 755 open
cp open/a.json 'open/5 on 2'
chmod 000 'open/5 on 2'
cd open
try 2 'dapbridge: 5 on 2: Permission denied' check '5 on 2'
chmod 000 .
try 0 '4 on 2: conforming: 4 over 2: block' check '4 on 2'
try 2 'dapbridge: a.json: Permission denied' check a.json
exit "$fails"
