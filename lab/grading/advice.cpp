/// Advice for each kind of finding.
#include <lab/grading/judge.hpp>

#include <string>

namespace upsweep::lab::grading {

namespace {

using enum sim::finding_kind;

struct row {
  sim::finding_kind kind;
  char const* advice;
};
constexpr row rows[] = {
    {race_in_block,
     "Nothing orders these two accesses. __syncthreads() would order them for the whole block, "
     "__syncwarp() for one warp, at a point that all their threads reach."},
    {race_between_blocks,
     "Blocks run in any order. Only a flag together with fences, or a separate launch, orders "
     "their accesses."},
    {missing_fence,
     "Seeing a flag says nothing about other memory: the writer needs a __threadfence() before it "
     "sets the flag, and the reader one after it has seen it."},
    {out_of_bounds,
     "Which index does the first thread compute, and which the last? What if n is not a multiple "
     "of the tile?"},
    {wrong_memory,
     "A kernel reaches device memory only: what cudaMalloc gave, __device__ variables and "
     "__shared__ arrays. A static array is the host's."},
    {uninitialized_read,
     "An element is read before it is written: is a barrier missing, or a value for the threads "
     "beyond n?"},
    {barrier_divergence,
     "All threads of a block must reach the same __syncthreads(): it must not be in a branch that "
     "only some take."},
    {left_before_barrier,
     "All threads of a block must reach every __syncthreads(): none may return before it, and it "
     "must not be in a branch that only some take. Put the work into the branch, and the barrier "
     "after it."},
    {missing_lane,
     "The mask names the lanes that take part. All of them must reach the operation, and a lane "
     "may read only from them."},
    {deadlock,
     "All threads wait for one that cannot arrive. Which thread sets the flag, and is its block "
     "guaranteed to have started?"},
    {no_progress,
     "A thread polls in a loop for a change that never happens, or the loop has no end. Which "
     "thread makes the change, and is its block guaranteed to have started?"},
    {misaligned, "A vector access needs an address that is a multiple of its size."},
    {refused_call, "A GPU refuses this launch or call: compare its numbers with the limits."},
    {stack_overflow, "How deep does the function call itself, and how large are its arrays?"},
};

}  // namespace

std::string advice_on(sim::finding const& f) {
  if (f.sentence.find("atomicAdd()") != std::string::npos)
    return "An update reads, computes and writes: between its read and its write another thread "
           "may do the same. An atomic function does all three indivisibly.";
  for (auto const& r : rows)
    if (f.kind == r.kind) return r.advice;
  return {};
}

}  // namespace upsweep::lab::grading
