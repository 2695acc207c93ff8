#!/bin/sh
# Builds the site: build.sh <doxygen> <python> <repository> <work folder> <folder of HTML> <version> <command>.
# Exit status 77: without Doxygen.
set -eu
doxygen=$1 python=$2 repository=$3 work=$4 html=$5
site=$repository/bridge/docs/site
[ -x "$doxygen" ] || { echo "site: Doxygen is not installed" >&2; exit 77; }

"$doxygen" -q "$work/Doxyfile"
"$python" "$site/stage.py" "$repository" "$work/source"
export DAP_SITE_XML="$work/xml" DAP_SITE_VERSION="$6" DAP_SITE_COMMAND="$7"
"$python" -m sphinx -b html -W --keep-going -q -c "$site" -d "$work/doctrees" "$work/source" "$html"
"$python" "$site/links.py" "$html"
echo "site: $html/index.html"
