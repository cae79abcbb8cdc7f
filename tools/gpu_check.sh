#!/bin/sh
# Runs everything that needs a GPU, in two calls of at most ten minutes: tests, random cases,
# benchmarks and hardware counters of six textbook kernels; and the tests under compute-sanitizer.
#
#   tools/gpu_check.sh                 builds into build-gpu/, then runs
#   tools/gpu_check.sh DIR             runs the programs in DIR/bin, which may be built elsewhere
#   tools/gpu_check.sh --sanitize DIR  runs the tests in DIR/bin under compute-sanitizer
#   tools/gpu_check.sh --build DIR     only builds; needs no GPU
#
# Folders are relative to the root of the repository. Environment: OUT, the folder for JSON and the
# log (gpu-check); UPSWEEP_GPU_SECONDS, the total time limit (570); UPSWEEP_GPU_AT_ONCE, how many
# tests run side by side (half as many as processors; under compute-sanitizer all but two of them,
# and at most seven for each GPU), distributed over all GPUs; UPSWEEP_GPU_STEPS, a regular
# expression (of grep -E) for the names of the steps to run, as the table has them (all);
# UPSWEEP_GPU_ARCHITECTURES, as for CMake (native); UPSWEEP_CCCL_INCLUDE, headers of a newer CCCL,
# for a second build of the benchmark, for example
#   pip download --no-deps -d build-gpu/cccl nvidia-cuda-cccl
#   unzip -qo build-gpu/cccl/*.whl -d build-gpu/cccl
#   UPSWEEP_CCCL_INCLUDE=$PWD/build-gpu/cccl/nvidia/cu13/include/cccl \
#     tools/gpu_check.sh --build build-gpu
# UPSWEEP_NCCL, a folder with NCCL's include/ and lib/, for the test and the benchmark of several
# GPUs, for example site-packages/nvidia/nccl of NVIDIA's package nvidia-nccl-cu13.
# To copy bin/ and lib/ to another machine, build for one architecture with
# CUDAFLAGS=--compress-mode=size, which reduces the size to a third.
#
# Every step has a time limit; a failed step does not stop the others. The output ends with a table.
# The exit status is 0 if all steps that could run succeeded, 1 if one failed, 5 if there is no GPU.
set -u
cd "$(dirname "$0")/.." || exit 4

# Tests: those without a limit on sizes, and those that compute-sanitizer runs too.
unlimited='recurrence_orders recurrence_eighth translated failures plain_verbs'
limited='verbs select histogram windows segments runs summed_area summed_area_bands lines
  recurrence sorts orders top chains weighted_histogram plans edges precise streams pieces
  threads'
suites='conformance conformance_verbs'
# Those with random cases, of which the check runs ten thousand each, longest first.
random='summed_area summed_area_bands windows lines select sorts segments runs recurrence histogram'
verb_benches='upsweep_gpu_selections upsweep_gpu_histograms upsweep_gpu_windows
  upsweep_gpu_segments upsweep_gpu_tables upsweep_gpu_recurrences upsweep_gpu_sorts'

programs_of() { for test in "$@"; do echo "${test}_on_gpu"; done; }

# Builds all programs, and copies libraries that the machine with the GPU may lack into lib/.
build_all() {
  ninja=$(command -v ninja)
  # Make builds one target after another.
  cmake --preset cuda ${ninja:+-G Ninja} -B "$build" -DUPSWEEP_BUILD_CLI=OFF \
    -DUPSWEEP_BUILD_EXAMPLES=OFF \
    -DCMAKE_CUDA_ARCHITECTURES="${UPSWEEP_GPU_ARCHITECTURES:-native}" \
    -DUPSWEEP_CCCL_INCLUDE="${UPSWEEP_CCCL_INCLUDE:-}" -DUPSWEEP_NCCL="${UPSWEEP_NCCL:-}" \
    -DUPSWEEP_TEST_ROOMS="cuda;c_api" \
    --log-level=WARNING || return
  # shellcheck disable=SC2046,SC2086  # the names are separate words
  set -- $(programs_of $limited $unlimited $suites) $verb_benches upsweep_gpu_bench \
    cuda_c11_program cuda_ranks_program cuda_verbs_program plain_cuda_program golden_on_gpu \
    textbook_on_gpu every_gpu_function every_gpu_verb
  [ -z "${UPSWEEP_CCCL_INCLUDE:-}" ] || set -- "$@" upsweep_gpu_bench_cccl
  [ -z "${UPSWEEP_NCCL:-}" ] || set -- "$@" nccl_program gpu_ranks upsweep_gpu_pieces
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

sanitizing=no
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
  --sanitize)
    sanitizing=yes
    shift
    : "${1:?give the folder of the build}"
    ;;
  -*)
    echo "gpu_check: '$1' is neither --build, --sanitize nor a folder" >&2
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
: > "$log"
printf '%-38s %-22s %8s  %s\n' step verdict seconds 'last word' > "$table"

left() { echo $((limit - $(date +%s) + started)); }
less() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }
note() { printf '%-38s %-22s %8s  %s\n' "$1" "$2" "$3" "$4"; }

# run FILE NAME SECONDS COMMAND...: runs the command with a time limit; leaves its row of the table
# in FILE.row and the end of its output in FILE.log.
run() {
  file=$1
  name=$2
  most=$(less "$3" "$(left)")
  shift 3
  if [ "$most" -lt 3 ]; then
    note "$name" 'not run' 0 "the total of $limit seconds was used up" > "$file.row"
    return
  fi
  begin=$(date +%s)
  timeout --kill-after=5 "$most" "$@" > "$file.txt" 2>&1 < /dev/null
  status=$?
  case $status in
    0) verdict=good ;;
    5) verdict='no GPU' ;;
    124 | 137) verdict='TIMED OUT' ;;
    *) verdict="FAILED (status $status)" ;;
  esac
  note "$name" "$verdict" $(($(date +%s) - begin)) \
    "$(grep -v '^ *$' "$file.txt" | tail -n 1 | cut -c 1-100)" > "$file.row"
  { echo "=== $name: $verdict: $*"; tail -n 1500 "$file.txt"; } > "$file.log"
  rm -f "$file.txt"
}

# wanted NAME: true if the caller wants this step.
wanted() { echo "$1" | grep -Eq -- "${UPSWEEP_GPU_STEPS:-}"; }

# step NAME SECONDS COMMAND...: a step that has the machine for itself.
step() {
  wanted "$1" || return 0
  finish
  run "$steps/0000" "$@"
  finish
}
# start NAME SECONDS COMMAND...: a step beside others, as soon as there is room for it.
start() {
  wanted "$1" || return 0
  count=$((count + 1))
  read -r _ <&3
  {
    [ "$gpus" -lt 2 ] || export CUDA_VISIBLE_DEVICES=$((count % gpus))
    run "$(printf '%s/%04d' "$steps" "$count")" "$@"
    echo >&3
  } &
}
# start_shards NAME SHARDS SECONDS COMMAND...: the tests of a program of GoogleTest in many parts.
start_shards() {
  name=$1
  shards=$2
  seconds=$3
  shift 3
  shard=0
  while [ $shard -lt "$shards" ]; do
    part=
    [ "$shards" -eq 1 ] || part=", $((shard + 1)) of $shards"
    start "$name$part" "$seconds" env GTEST_TOTAL_SHARDS="$shards" GTEST_SHARD_INDEX=$shard "$@"
    shard=$((shard + 1))
  done
}
# Waits for the steps that have been started, and records their results in that order.
finish() {
  wait
  for row in "$steps"/*.row; do
    [ -e "$row" ] || continue
    cat "$row" >> "$table"
    [ ! -e "${row%.row}.log" ] || cat "${row%.row}.log" >> "$log"
    rm -f "$row" "${row%.row}.log"
  done
}
# at_once N: N steps run side by side.
at_once() {
  finish
  rm -f "$steps/room"
  mkfifo "$steps/room" && exec 3<> "$steps/room"
  seq "$1" >&3
}
steps=$out/steps
count=0
rm -rf "$steps"
mkdir "$steps" || exit 4

# memcheck also reports API calls that fail, which some tests provoke. racecheck does not recognize
# the synchronization between the warps of a ring (see docs/design/0004-cuda.md); the emulator
# does. CUB's sorts are not ours to check, and take it minutes.
exceptions() {
  case $1 in
    memcheck) echo --report-api-errors no ;;
    racecheck)
      echo --kernel-name-exclude kernel_substring=_ring --kernel-name-exclude kernel_substring=cub
      ;;
  esac
}

# has NAME FILE-OR-COMMAND: true if the step is wanted and the program exists. A step that is wanted
# but has no program is recorded as not run.
has() {
  wanted "$1" || return 1
  command -v "$2" > /dev/null && return 0
  finish
  note "$1" 'not run' 0 "$2 not found" >> "$table"
  return 1
}

# sanitize TOOL TEST SHARDS: TEST under TOOL, in so many parts.
sanitize() {
  most=20000 cases=20
  [ "$1" != racecheck ] || most=2500 cases=3  # its time grows with the elements
  case "$1 $2" in
    *' streams') most=2000000 ;;  # chunks of 1 MiB and more use the ring
    # Most of their launches are CUB's, which take racecheck long although it leaves them out.
    'racecheck sorts' | 'racecheck orders') most=1000 cases=1 ;;
    'racecheck weighted_histogram') most=300 cases=1 ;;
    'racecheck top') most=5000 ;;
    *' top') most=140000 ;;  # from 2^17 elements on ranks are searched
  esac
  has "$1, $2" "$bin/${2}_on_gpu" && has "$1, $2" compute-sanitizer || return
  # shellcheck disable=SC2046  # the exceptions are separate words
  start_shards "$1, $2" "$3" 100 env UPSWEEP_GPU_MOST=$most UPSWEEP_GPU_CASES=$cases \
    compute-sanitizer --tool "$1" $(exceptions "$1") --error-exitcode 99 \
    "$bin/${2}_on_gpu" --gtest_brief=1
}
# The longest ones first, so that short ones fill the end.
sanitize_all() {
  for tool in racecheck memcheck initcheck synccheck; do
    sanitize $tool conformance 40
    sanitize $tool conformance_verbs 8
    for test in $limited; do
      case "$tool $test" in
        # At most as many parts as tests: without a kernel compute-sanitizer fails.
        'racecheck segments' | 'racecheck windows') sanitize $tool "$test" 12 ;;
        'racecheck select' | 'racecheck histogram') sanitize $tool "$test" 9 ;;
        'racecheck runs') sanitize $tool "$test" 6 ;;
        'racecheck sorts') sanitize $tool "$test" 3 ;;
        'racecheck weighted_histogram') sanitize $tool "$test" 2 ;;
        *' segments' | *' select' | *' windows' | *' edges') sanitize $tool "$test" 3 ;;
        *) sanitize $tool "$test" 1 ;;
      esac
    done
  done
}

# What was not successful decides about the exit status.
report() {
  finish
  cat "$table"
  ! grep -q 'TIMED OUT\|FAILED (status' "$table" || exit 1
  ! grep -q ' no GPU ' "$table" || exit 5
  exit 0
}

has machine nvidia-smi && step machine 15 nvidia-smi
gpus=$(nvidia-smi -L 2> /dev/null | grep -c '^GPU')
cpus=$(nproc)
if [ $sanitizing = yes ]; then
  most=$((gpus > 1 ? 7 * gpus : 7))
  at_once "${UPSWEEP_GPU_AT_ONCE:-$(less $((cpus > 3 ? cpus - 2 : 1)) $most)}"
  sanitize_all
  report
fi

[ $# -gt 0 ] || step build 400 tools/gpu_check.sh --build "$build"
at_once "${UPSWEEP_GPU_AT_ONCE:-$(less $(((cpus + 1) / 2)) 16)}"
for test in $suites; do
  has "$test" "$bin/${test}_on_gpu" &&
    start_shards "$test" 8 250 "$bin/${test}_on_gpu" --gtest_brief=1
done
for test in $limited $unlimited; do
  has "$test" "$bin/${test}_on_gpu" && start "$test" 150 "$bin/${test}_on_gpu" --gtest_brief=1
done
for test in $random; do
  has "random cases, $test" "$bin/${test}_on_gpu" &&
    start "random cases, $test" 350 env UPSWEEP_GPU_CASES=10000 "$bin/${test}_on_gpu" \
      --gtest_brief=1 --gtest_filter='*random_cases*'
done
has 'C program' "$bin/cuda_c11_program" && step 'C program' 20 "$bin/cuda_c11_program" results
has 'C verbs' "$bin/cuda_verbs_program" && step 'C verbs' 20 "$bin/cuda_verbs_program" results
has 'C ranks' "$bin/cuda_ranks_program" && step 'C ranks' 60 "$bin/cuda_ranks_program" results
has 'golden set' "$bin/golden_on_gpu" && step 'golden set' 60 "$bin/golden_on_gpu"
for example in every_gpu_function every_gpu_verb; do
  has "$example" "$bin/$example" &&
    step "$example" 20 sh -c 'shown=$("$0") || exit; echo "$shown" | diff "$1" -' \
      "$bin/$example" "examples/gpu/$example.txt"
done
has 'plain program' "$bin/plain_cuda_program" && step 'plain program' 20 "$bin/plain_cuda_program"
if has bench "$bin/upsweep_gpu_bench"; then
  time=$(less 170 $(($(left) * 45 / 100)))
  step bench $((time + 30)) "$bin/upsweep_gpu_bench" --json "$out/bench.json" --seconds "$time"
fi
for bench in $verb_benches; do
  verbs=${bench#upsweep_gpu_}
  has "bench, $verbs" "$bin/$bench" &&
    step "bench, $verbs" 60 sh -c '"$0" > "$1"' "$bin/$bench" "$out/$verbs.md"
done
has 'several GPUs' "$bin/nccl_program" && step 'several GPUs' 90 "$bin/nccl_program"
has 'example of NCCL' "$bin/gpu_ranks" && step 'example of NCCL' 30 "$bin/gpu_ranks"
has 'bench, pieces' "$bin/upsweep_gpu_pieces" &&
  step 'bench, pieces' 90 sh -c '"$0" "$1.json" > "$1.md"' "$bin/upsweep_gpu_pieces" "$out/pieces"
has textbook "$bin/textbook_on_gpu" && step textbook 80 "$bin/textbook_on_gpu" "$out/textbook.json"
if has 'bench, newer CCCL' "$bin/upsweep_gpu_bench_cccl"; then
  time=$(less 60 $(($(left) * 60 / 100)))
  step 'bench, newer CCCL' $((time + 15)) "$bin/upsweep_gpu_bench_cccl" \
    --json "$out/bench-cccl.json" --seconds "$time"
fi
has counters "$bin/textbook_on_gpu" && has counters ncu &&
  step counters 60 tools/gpu_check.sh --counters "$build"
report
