#!/bin/sh
# The demo: reduces, scans and plots fifty years of daily temperatures, shows identical bits for
# three ways to compute, and measures this machine.
#
#   examples/demo.sh BIN    BIN is build/bin after `make demo`, which builds the tool without its
#                           laboratory into BIN/demo
set -eu
bin=$(cd "$1" && pwd)
PATH="$bin/demo:$bin:$PATH"
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp examples/data/clemson_daily.csv "$scratch"
cd "$scratch"
data=clemson_daily.csv

bold="" plain=""
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
heading() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# Prints a command, then runs it.
run() {
  printf '$ %s\n' "$1"
  eval "$1"
}

heading "Daily temperatures at Clemson, South Carolina, 1971 to 2020 (NOAA);" \
  "degree_days is the warmth above 10 °C that a crop receives"
run "head -4 $data"

heading "Totals of the whole file, in one pass; one value is missing"
run "upsweep reduce $data --skip-missing --column degree_days --op sum,mean,std,count"

heading "Extremes, and their days"
run "upsweep reduce $data --skip-missing --column tmin,tmax --op minmax"
run "grep -e ,-19.4, -e ,41.1, $data"

heading "The total of each year, then its running total and its exponential moving average" \
  "(the last five)"
run "upsweep reduce $data --skip-missing --by year --column degree_days -o years.csv"
run "upsweep scan years.csv --keep year --column 'sum(degree_days)' --op sum,ema:0.2 | tail -5"

heading "A running total that restarts every year: the season of 2020," \
  "on the first and the fifteenth of each month"
run "upsweep scan $data --skip-missing --by year --keep date --column degree_days -o season.csv"
run "head -3 season.csv"
awk -F, '$2 ~ /^2020-..-(01|15)$/ { print substr($2, 6), $3 }' season.csv | example_plot_bars

heading "The same bits with one thread, with all threads, and from a stream of random chunks" \
  "(the column 60 times, a million values)"
awk -F, -v times=60 'NR > 1 && $5 != "" { x[++n] = $5 }
  END { while (times--) for (i = 1; i <= n; i++) print x[i] }' "$data" > column
run "example_stream_chunks < column"

heading "Reductions and scans of float sums on this machine, compared with a plain loop"
run "upsweep bench"

printf '\nThis tool is %s; make build adds the laboratory.\n' "build/bin/demo/upsweep"
