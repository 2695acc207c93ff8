#!/bin/sh
# Builds the site: build.sh <doxygen> <python> <repository> <work folder> <folder of HTML> <version> <command>.
# Exit status 77: without Doxygen.
set -eu
doxygen=$1 python=$2 repository=$3 work=$4 html=$5
site=$repository/bridge/docs/site
[ -x "$doxygen" ] || { echo "site: Doxygen is not installed" >&2; exit 77; }

# What an earlier run has left is used again if that came to its end, without an error.
[ -e "$work/finished" ] || rm -rf "$work/doctrees" "$html"
rm -f "$work/finished"

"$doxygen" -q "$work/Doxyfile"
"$python" "$site/stage.py" "$repository" "$work/source"
export DAP_SITE_XML="$work/xml" DAP_SITE_VERSION="$6" DAP_SITE_COMMAND="$7"
"$python" -m sphinx -b html -W --keep-going -q -c "$site" -d "$work/doctrees" "$work/source" "$html"
"$python" "$site/links.py" "$html"
"$python" "$site/searches.py" "$html"
touch "$work/finished"
echo "site: $html/index.html"
