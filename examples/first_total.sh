#!/bin/sh
# The demo's first total, from a program of five lines, before the tool is built.
#
#   examples/first_total.sh BIN    BIN is the folder of the program, build/bin after a build
set -eu
data=$(dirname "$0")/data/clemson_daily.csv
printf '\nDegree days at Clemson, South Carolina, 1971 to 2020 (NOAA), by upsweep::reduce:\n'
awk -F, 'NR > 1 && $5 != "" { print $5 }' "$data" | "$1/first_total"
printf 'The program is examples/first_total.cpp. Building the tool ...\n\n'
