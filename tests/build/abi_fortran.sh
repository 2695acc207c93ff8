#!/bin/sh
# What programs in Fortran are compiled into of a library of modules, a line each, sorted: its exported names, the sizes of
# its types, and as the sources say types with their components in order, constants, and procedures with their arguments.
# (abidw 2.2 ends at what gfortran writes as debug information.)
#
# abi_fortran.sh test <reference> <nm> <library> <soname> <source>...: what is in the reference must be there, more may be
# abi_fortran.sh renew <reference> <nm> <library> <soname> <source>...
set -eu

print() {
  nm=$1 library=$2 soname=$3
  shift 3
  names=$(mktemp)
  # The size of a type is that of its initial value.
  "$nm" -D -S --defined-only "$library" | awk '$NF ~ /^(__dapbridge_|dap_f_)/ {
      print "name " $NF
      if ($NF ~ /_MOD___def_init_/) print "size " $NF " " $2
    }' | sort >"$names"
  {
    echo "soname $soname"
    cat "$names"
    awk -v names="$names" '
      BEGIN { while ((getline line < names) > 0) exported[substr(line, 6)] = 1 }
      { sub(/ *!.*/, ""); gsub(/ +/, " "); sub(/^ /, "") }
      /&$/ { sub(/ ?&$/, " "); kept = kept $0; next }
      { line = kept $0; kept = "" }
      line ~ /^module [a-z_0-9]+$/ { module = substr(line, 8) }
      line ~ /^interface/ { skips = 1 }
      line ~ /^end interface/ { skips = 0; next }
      skips || line == "" || line ~ /^#/ { next }
      line ~ /^type,.*public.*::/ { type = line " {"; next }
      type != "" && line ~ /^(contains|end type)/ { print type " }"; type = ""; next }
      type != "" { type = type " " line ";"; next }
      line ~ /parameter, public ::/ {
        sub(/.*:: /, "", line)
        count = split(line, constants, /, */)
        for (i = 1; i <= count; i++) print "constant " constants[i]
        next
      }
      line ~ /^[a-z0-9_() ]*(subroutine|function) [a-z_0-9]+ ?(\(|$)/ && line !~ /^end/ {
        name = line
        sub(/.*(subroutine|function) /, "", name)
        sub(/[^a-z_0-9].*/, "", name)
        procedure = (("__" module "_MOD_" name) in exported) ? "procedure " line : ""
        next
      }
      procedure != "" && line ~ /intent\(/ { procedure = procedure "; " line }
      line ~ /^end (subroutine|function)/ { if (procedure != "") print procedure; procedure = "" }
    ' "$@"
  } | LC_ALL=C sort
  rm "$names"
}

# Says what the first file has and the second one has not.
gone() {
  LC_ALL=C comm -23 "$1" "$2"
}

action=$1 reference=$2
shift 2
if [ "$action" = renew ]; then
  print "$@" >"$reference"
  exit
fi

work=$(mktemp -d)
print "$@" >"$work/now"
if [ -n "$(gone "$reference" "$work/now")" ]; then
  echo "In $reference, and not so now:"
  gone "$reference" "$work/now"
  echo "Programs compiled with this release's earlier versions would fail. Take the change back, or raise the minor version,"
  echo "and with it the library's name. Renew it: cmake --build <build> --target abi (bridge/docs/reliability.md says when)."
  rm -r "$work"
  exit 1
fi

# What this is for is noticed: of each kind of line one that is not as it was.
for kind in soname name size 'type,.*public' constant procedure; do
  sed "0,/^$kind/s/^$kind.*/& changed/" "$work/now" | LC_ALL=C sort >"$work/changed"
  if [ -z "$(gone "$work/now" "$work/changed")" ]; then
    echo "a changed line of the kind $kind is not noticed"
    rm -r "$work"
    exit 1
  fi
done
rm -r "$work"
