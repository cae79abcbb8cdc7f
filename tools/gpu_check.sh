#!/bin/sh
# Runs everything that needs a GPU in less than ten minutes: tests, sanitizers, benchmark, and
# hardware counters of six textbook kernels.
#
#   tools/gpu_check.sh                builds into build-gpu/, then runs
#   tools/gpu_check.sh DIR            runs the programs in DIR/bin, which may be built elsewhere
#   tools/gpu_check.sh --build DIR    only builds; needs no GPU
#
# Folders are relative to the root of the repository. Environment: OUT, the folder for JSON and the
# log (gpu-check); UPSWEEP_GPU_SECONDS, the total time limit (570); UPSWEEP_GPU_ARCHITECTURES, as
# for CMake (native); UPSWEEP_CCCL_INCLUDE, headers of a newer CCCL, for a second build of the
# benchmark, for example
#   pip download --no-deps -d build-gpu/cccl nvidia-cuda-cccl
#   unzip -qo build-gpu/cccl/*.whl -d build-gpu/cccl
#   UPSWEEP_CCCL_INCLUDE=$PWD/build-gpu/cccl/nvidia/cu13/include/cccl \
#     tools/gpu_check.sh --build build-gpu
# To copy bin/ and lib/ to another machine, build for one architecture with
# CUDAFLAGS=--compress-mode=size, which reduces the size to a third.
#
# Every step has a time limit; a failed step does not stop the others. The output ends with a table.
# The exit status is 0 if all steps that could run succeeded, 1 if one failed, 5 if there is no GPU.
set -u
cd "$(dirname "$0")/.." || exit 4

# Builds all programs, and copies libraries that the machine with the GPU may lack into lib/.
build_all() {
  cmake --preset cuda -B "$build" -DUPSWEEP_BUILD_CLI=OFF -DUPSWEEP_BUILD_EXAMPLES=OFF \
    -DCMAKE_CUDA_ARCHITECTURES="${UPSWEEP_GPU_ARCHITECTURES:-native}" \
    -DUPSWEEP_CCCL_INCLUDE="${UPSWEEP_CCCL_INCLUDE:-}" -DUPSWEEP_TEST_ROOMS="cuda;c_api" \
    --log-level=WARNING || return
  set -- verbs_on_gpu select_on_gpu histogram_on_gpu windows_on_gpu segments_on_gpu \
    summed_area_on_gpu summed_area_types_on_gpu lines_on_gpu \
    recurrence_on_gpu recurrence_orders_on_gpu recurrence_types_on_gpu recurrence_eighth_on_gpu \
    sorts_on_gpu orders_on_gpu top_on_gpu \
    precise_on_gpu streams_on_gpu edges_on_gpu translated_on_gpu \
    failures_on_gpu conformance_on_gpu plain_verbs_on_gpu cuda_c11_program cuda_verbs_program \
    plain_cuda_program textbook_on_gpu \
    upsweep_gpu_bench upsweep_gpu_selections upsweep_gpu_histograms upsweep_gpu_windows \
    upsweep_gpu_segments upsweep_gpu_tables upsweep_gpu_recurrences upsweep_gpu_sorts
  [ -z "${UPSWEEP_CCCL_INCLUDE:-}" ] || set -- "$@" upsweep_gpu_bench_cccl
  cmake --build "$build" -j "${JOBS:-$(nproc)}" --target "$@" || return
  mkdir -p "$build/lib"
  ldd "$build"/bin/* 2> /dev/null | awk '/libhwy/ {print $3}' | sort -u |
    xargs -r cp -Lt "$build/lib"
}

# counters STEM...: writes hardware counters of the first launches of each kernel as CSV.
counters() {
  for stem in "$@"; do
    ncu --clock-control none --csv --page raw --kernel-name "regex:^$stem\$" \
      --launch-count 12 --kill yes --metrics "$metrics" "$bin/textbook_on_gpu" /dev/null "$stem"
  done > "${OUT:-gpu-check}/counters.csv" 2>&1
  grep -c '^"[0-9]' "${OUT:-gpu-check}/counters.csv"
}
metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__thread_inst_executed.sum
# Selects loads and stores: the plain count of wavefronts includes others, such as those of
# barriers.
for operation in ld st; do
  metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$operation.sum
  metrics=$metrics,sm__sass_inst_executed_op_shared_$operation.sum
  metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$operation.sum
done
metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum

case ${1:-} in
  --build)
    build=${2:?give the folder to build in}
    build_all
    exit
    ;;
  --counters)  # a separate process, so that the step can have a time limit
    bin=${2:?give the folder of the build}/bin
    counters interleaved convergent shared_reduce kogge_stone blelloch blelloch_padded
    exit
    ;;
  -*)
    echo "gpu_check: '$1' is neither --build nor a folder" >&2
    exit 2
    ;;
esac

out=${OUT:-gpu-check}
mkdir -p "$out" || exit 4
log=$out/log.txt
table=$out/summary.txt
started=$(date +%s)
limit=${UPSWEEP_GPU_SECONDS:-570}
build=${1:-build-gpu}
bin=$build/bin
export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
failed=0
no_gpu=0
: > "$log"
printf '%-28s %-22s %8s  %s\n' step verdict seconds 'last word' > "$table"

left() { echo $((limit - $(date +%s) + started)); }
less() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }
note() { printf '%-28s %-22s %8s  %s\n' "$1" "$2" "$3" "$4" >> "$table"; }

# step NAME SECONDS COMMAND...: runs the command with a time limit, logs the end of its output, and
# records its result.
step() {
  name=$1
  most=$(less "$2" "$(left)")
  shift 2
  if [ "$most" -lt 3 ]; then
    note "$name" 'not run' 0 "the total of $limit seconds was used up"
    return
  fi
  begin=$(date +%s)
  timeout --kill-after=5 "$most" "$@" > "$out/step.txt" 2>&1 < /dev/null
  status=$?
  case $status in
    0) verdict=good ;;
    5) verdict='no GPU' no_gpu=1 ;;
    124 | 137) verdict='TIMED OUT' failed=1 ;;
    *) verdict="FAILED (status $status)" failed=1 ;;
  esac
  note "$name" "$verdict" $(($(date +%s) - begin)) \
    "$(grep -v '^ *$' "$out/step.txt" | tail -n 1 | cut -c 1-100)"
  { echo "=== $name: $verdict: $*"; tail -n 1500 "$out/step.txt"; } >> "$log"
  rm -f "$out/step.txt"
}

# memcheck also reports API calls that fail, which some tests provoke. racecheck does not recognise
# the synchronisation between the warps of scan_ring (see docs/design/0004-cuda.md); the emulator
# does.
exceptions() {
  case $1 in
    memcheck) echo --report-api-errors no ;;
    racecheck) echo --kernel-name-exclude kernel_substring=scan_ring ;;
  esac
}

# has NAME FILE-OR-COMMAND: true if it exists; otherwise records that the step was not run.
has() {
  command -v "$2" > /dev/null && return 0
  note "$1" 'not run' 0 "$2 not found"
  return 1
}

has machine nvidia-smi && step machine 15 nvidia-smi
[ $# -gt 0 ] || step build 400 tools/gpu_check.sh --build "$build"
for program in verbs select histogram windows segments summed_area summed_area_types lines \
  recurrence recurrence_orders recurrence_types recurrence_eighth sorts orders top \
  precise streams edges \
  translated failures conformance plain_verbs; do
  has $program "$bin/${program}_on_gpu" && step $program 90 "$bin/${program}_on_gpu" --gtest_brief=1
done
has 'C program' "$bin/cuda_c11_program" && step 'C program' 20 "$bin/cuda_c11_program" results
has 'C verbs' "$bin/cuda_verbs_program" && step 'C verbs' 20 "$bin/cuda_verbs_program" results
has 'plain program' "$bin/plain_cuda_program" && step 'plain program' 20 "$bin/plain_cuda_program"
if has bench "$bin/upsweep_gpu_bench"; then
  time=$(less 170 $(($(left) * 45 / 100)))
  step bench $((time + 30)) "$bin/upsweep_gpu_bench" --json "$out/bench.json" --seconds "$time"
fi
for verbs in selections histograms windows segments tables recurrences sorts; do
  has "bench, $verbs" "$bin/upsweep_gpu_$verbs" &&
    step "bench, $verbs" 60 sh -c '"$0" > "$1"' "$bin/upsweep_gpu_$verbs" "$out/$verbs.md"
done
for tool in memcheck racecheck synccheck initcheck; do
  for program in verbs select histogram windows segments summed_area summed_area_types lines \
    recurrence sorts orders top edges precise streams; do
    most=20000
    [ $program != streams ] || most=2000000  # chunks of 1 MiB and more use the ring
    [ $program != top ] || most=140000       # from 2^17 elements on ranks are searched
    # shellcheck disable=SC2046  # the exceptions are separate words
    has "$tool, $program" "$bin/${program}_on_gpu" && has "$tool, $program" compute-sanitizer &&
      step "$tool, $program" 45 env UPSWEEP_GPU_MOST=$most compute-sanitizer --tool $tool \
        $(exceptions $tool) --error-exitcode 99 "$bin/${program}_on_gpu" --gtest_brief=1
  done
done
has textbook "$bin/textbook_on_gpu" && step textbook 80 "$bin/textbook_on_gpu" "$out/textbook.json"
if has 'bench, newer CCCL' "$bin/upsweep_gpu_bench_cccl"; then
  time=$(less 60 $(($(left) * 60 / 100)))
  step 'bench, newer CCCL' $((time + 15)) "$bin/upsweep_gpu_bench_cccl" \
    --json "$out/bench-cccl.json" --seconds "$time"
fi
has counters "$bin/textbook_on_gpu" && has counters ncu &&
  step counters 60 tools/gpu_check.sh --counters "$build"

cat "$table"
[ $failed -eq 0 ] || exit 1
[ $no_gpu -eq 0 ] || exit 5
