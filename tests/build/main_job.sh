#!/bin/sh
# Checks that examples/run.sh prints no error if all goes well, with and without the Python modules. Stand-ins replace
# CMake and the launcher, and give answers that the script must handle.
#
#   sh main_job.sh <sources> <folder for scratch>
set -eu
source=$1
work=$2
rm -rf "$work"
mkdir -p "$work/bin" "$work/examples" "$work/cmake"
cp "$source/examples/run.sh" "$work/examples"
echo 'exit 0' >"$work/cmake/bootstrap.sh"
echo 'echo "runs $*"' >"$work/cmake/mpirun.sh"
# CMake complains if ninja cannot write all of its targets, which are more than a pipe holds.
cat >"$work/bin/cmake" <<'END'
#!/bin/sh
case $* in
  *'--target help'*)
    echo "$TARGETS"
    seq 100000 || { echo "CMake Error: Generator: execution of make failed" >&2; exit 1; }
    ;;
  *) echo "cmake $*" ;;
esac
END
chmod +x "$work/bin/cmake"
export PATH="$work/bin:$PATH"

# expect <why> <targets of the build> <programs that run>
expect() {
  TARGETS=$2 sh "$work/examples/run.sh" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
  if grep 'CMake Error' "$work/out"; then echo "$1: an error is printed" >&2; exit 1; fi
  count=$(grep -c '^runs 4 ' "$work/out")
  [ "$count" -eq "$3" ] || { echo "$1: $count programs are run" >&2; cat "$work/out" >&2; exit 1; }
}
expect 'with the modules' 'dapbridge_python_scalapack: phony' 4
expect 'without them' 'dapbridge_scalapack: phony' 3
