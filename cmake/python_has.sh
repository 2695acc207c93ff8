#!/bin/sh
# Runs a command if an interpreter finds some modules; else says which it does not, and is skipped: exit status 77.
#
#   sh cmake/python_has.sh <interpreter> "<module>..." <command> [argument...]
set -eu
python=$1
modules=$2
shift 2
# shellcheck disable=SC2086 # a list
"$python" -c "
import importlib.util, sys
missing = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]
if missing:
    sys.exit('python_has: not installed: ' + ' '.join(missing))" $modules || exit 77
exec "$@"
