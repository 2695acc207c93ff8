#!/bin/sh
# Checks that cmake/bootstrap.sh asks before it installs if it is told to and somebody can answer, and otherwise does
# not wait. Stand-ins replace the programs that would install, on a pretended machine without packages.
#
#   sh bootstrap.sh <sources> <folder for scratch>
set -eu
source=$1
work=$2
rm -rf "$work"
mkdir -p "$work/bin"
command -v script >/dev/null || exit 77 # belongs to bsdutils; runs a command on a terminal
stand_in() { # stand_in <name> <script>
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
stand_in apt-get "echo \"\$*\" >>'$work/calls'"
stand_in dpkg-query 'exit 1'
stand_in id 'echo 0'
stand_in update-alternatives 'exit 0'
export PATH="$work/bin:$PATH"
unset CI

# expect <why> <installs: yes or no> <status> <output, or nothing> <command>...
expect() {
  why=$1 installs=$2 wanted=$3 part=$4
  shift 4
  rm -f "$work/calls"
  status=0
  "$@" >"$work/out" 2>&1 || status=$?
  did=no
  if grep -qs 'install -y' "$work/calls"; then did=yes; fi
  asked=no
  if grep -q 'Install them' "$work/out"; then asked=yes; fi
  if [ "$did" != "$installs" ] || [ "$status" != "$wanted" ] || [ "$asked" != "$part" ]; then
    echo "$why: installs: $did, status $status, asks: $asked" >&2
    cat "$work/out" >&2
    exit 1
  fi
}

terminal() { # terminal <answer> <argument of bootstrap.sh>
  # shellcheck disable=SC2059 # the format contains the answer's newline
  printf "$1" | timeout 60 script -qec "sh '$source/cmake/bootstrap.sh' $2" /dev/null
}

expect 'no terminal' yes 0 no timeout 60 sh "$source/cmake/bootstrap.sh" --ask
expect 'no terminal, not told to ask' yes 0 no timeout 60 sh "$source/cmake/bootstrap.sh"
expect 'a terminal, not told to ask' yes 0 no terminal '' ''
expect 'yes' yes 0 yes terminal 'y\n' --ask
expect 'Enter' yes 0 yes terminal '\n' --ask
expect 'no' no 1 yes terminal 'n\n' --ask
grep -q 'nothing was installed. Missing:.*libopenmpi-dev' "$work/out"
for package in make python3-venv python3-setuptools python3-wheel; do # packages that the pages assume to be installed
  grep -q "Missing:.* $package\( \|$\)" "$work/out" || { echo "$package is not installed" >&2; exit 1; }
done
CI=true
export CI
expect 'in CI' yes 0 no terminal '' --ask
