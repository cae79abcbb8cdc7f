#!/bin/sh
# One total, to the last bit, from one core, all cores, sixteen ranks of Open MPI and of MPICH, a
# Dask array, and five files that are reduced apart and merged.
#
#   examples/one_total.sh BIN    BIN is the folder of the tool and the examples, build/bin after a
#                                build; PYTHON is a Python with upsweep and dask (default: python3)
set -eu
PATH="$(cd "$1" && pwd):$PATH"
examples=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# 200,003 decimals whose sum depends on its order.
awk 'BEGIN { for (i = 1; i <= 200003; i++) printf "%.17g\n", (i % 3 - 1.1) / i }' > column
upsweep scan --op window:1:sum column --to raw -o column.f64 # the same numbers as raw doubles

one=$(upsweep reduce --threads 1 column)
show() {
  printf '%-34s %s\n' "$1" "$2"
  [ "$2" = "$one" ] || different=1
}
different=0
printf '%-34s %s\n' "a loop (awk)" "$(awk '{ s += $1 } END { printf "%.17g", s }' column)"
show "one core" "$one"
show "all cores" "$(upsweep reduce column)"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 # more ranks than cores
for mpi in openmpi mpich; do
  program=example_ranks_total_$mpi
  if command -v "mpirun.$mpi" > /dev/null && command -v "$program" > /dev/null; then
    show "sixteen ranks of $mpi" \
      "$("mpirun.$mpi" -n 16 "$(command -v "$program")" column.f64 | upsweep reduce)"
  else
    printf '%-34s left out: no mpirun.%s, or built without it\n' "sixteen ranks of $mpi" "$mpi"
  fi
done

python=${PYTHON:-python3}
if "$python" -c 'import dask.array, upsweep' 2> /dev/null; then
  show "a Dask array of 77 chunks" "$("$python" -c '
import dask.array, numpy, sys
sys.path.append(sys.argv[1])
from dask_totals import total
x = numpy.fromfile("column.f64")
print(repr(float(total(dask.array.from_array(x, chunks=x.size // 76)).compute())))
' "$examples")"
else
  echo "a Dask array                       left out: $python has not both dask and upsweep"
fi

# Each file could be on another machine: it needs only the number of rows in front of it.
row=0
for end in 1 70000 70001 150000 200003; do
  sed -n "$((row + 1)),${end}p" column > "$row.txt"
  upsweep reduce "$row.txt" --from-row "$row" --partial "$row.part"
  row=$end
done
show "five files, merged in any order" "$(upsweep merge ./*.part)"

if [ "$different" = 0 ]; then
  echo "the same bits everywhere"
else
  echo "DIFFERENT BITS"
  exit 1
fi
