#!/bin/sh
# usage: run_alone.sh EXPECTED COMMAND [ARGUMENT...]
#
# Runs COMMAND, given by its absolute path, in an empty folder that is removed afterwards. It must succeed and, if
# EXPECTED is the name of a file that exists, print exactly what that holds.
set -u
expected=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/work"
(cd "$folder/work" && exec "$@") >"$folder/printed"
status=$?
cat "$folder/printed"
[ "$status" -eq 0 ] || exit "$status"
if [ -f "$expected" ]; then diff -u "$expected" "$folder/printed"; fi
