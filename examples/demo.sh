#!/bin/sh
# usage: demo.sh LAKE
#
# Shows LAKE, the command-line tool, at work on a small data file: makes a lake in a temporary folder, prints each
# command before what it prints, and leaves nothing behind.
set -eu

lake=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
data=$(cd "$(dirname "$0")" && pwd)/data/seattle-weather-2012.csv
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$data" "$folder"
cd "$folder"

say() { printf '\n# %s\n' "$*"; }

# Prints a command as one would type it, and runs it.
run() {
  printf '$ lake %s\n' "$*"
  "$lake" "$@"
}

# The same, with a line of input.
feed() {
  line=$1
  shift
  printf "$ echo '%s' | lake %s\n" "$line" "$*"
  printf '%s\n' "$line" | "$lake" "$@"
}

say 'A table with declared types, in a new lake, and the rows of a CSV file: all of them in one transaction.'
run seattle create weather 'date:string!' precipitation:double temp_max:double temp_min:double wind:double weather
run seattle insert weather seattle-weather-2012.csv
run seattle tables --format table
run seattle scan weather --limit 5 --format table

say 'A table whose columns are inferred.'
feed '{"day": "2012-01-18", "note": "Snow! ❄", "photos": [3, 4]}' seattle insert notes --create
run seattle scan notes --format table

say 'One more row. What is wrong with a row is said with line and column, and nothing is inserted.'
feed '{"date": "2013-01-01", "temp_max": 5, "temp_min": -2.8, "weather": "sun"}' seattle insert weather
feed '{"date": "2013-01-02", "temp_mxa": 6.1}' seattle insert weather 2>&1 || echo "(exit code $?)"

say 'Every version is kept.'
run seattle history --format table
run seattle drop notes
run seattle at 2 scan notes
echo '$ lake seattle scan weather --columns weather,date --format csv | tail -n 3'
"$lake" seattle scan weather --columns weather,date --format csv | tail -n 3

say 'The lake is a folder of JSON files; all of them are read and verified.'
run seattle check
