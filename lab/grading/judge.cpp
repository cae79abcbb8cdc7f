/// Computes expected values by a plain loop from left to right; gives advice on findings.
#include <lab/grading/judge.hpp>

#include <lab/grading/harness/elements.hpp>
#include <upsweep/sim/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace upsweep::lab::grading {

namespace {

namespace ours = upsweep::grading;

template <class T>
std::string shown(T const& x) {
  if constexpr (ours::is_map<T>)
    return fmt::format("{}x+{}", x.a, x.b);
  else
    return fmt::format("{}", x);
}

/// The definition of a reduction and of a scan.
template <class T>
std::vector<T> expected(exercise const& e, run_request const& asked) {
  auto const x = ours::elements<T>(asked.what.op, asked.n, asked.seed);
  return ours::with_operator<T>(asked.what.op, [&](auto const& op) {
    std::vector<T> results;
    T sum = op.template identity<T>();
    for (T const& value : x) {
      if (e.exclusive) results.push_back(sum);
      sum = op(sum, value);
      if (!e.exclusive) results.push_back(sum);
    }
    return e.scan ? results : std::vector<T>{sum};
  });
}

/// One expected result, by definition: the combination of the elements [0, count).
template <class T>
T total(run_request const& asked, std::size_t count) {
  auto const x = ours::elements<T>(asked.what.op, asked.n, asked.seed);
  return ours::with_operator<T>(asked.what.op, [&](auto const& op) {
    T sum = op.template identity<T>();
    for (std::size_t i = 0; i < count; ++i) sum = op(sum, x[i]);
    return sum;
  });
}

/// Advice on the first wrong result, `first`, whose value is `got`.
template <class T>
std::string advice_on_values(exercise const& e, run_request const& asked, std::size_t first,
                             T const& got) {
  if (asked.what.op == "composition")
    return "Composing maps does not commute: is the left operand of op always the earlier one?";
  auto const threads = static_cast<std::size_t>(e.threads), partial = asked.n % threads;
  if (e.scan && first >= threads && first % threads == 0 && first + partial != asked.n)
    return "The first wrong element begins a tile: does the carry arrive there?";
  if (partial == 0) return {};
  bool const as_if_zeros_came_in =
      !e.scan && ours::with_operator<T>(asked.what.op, [&](auto const& op) {
        return op(total<T>(asked, asked.n), T{}) == got;
      });
  if (asked.what.op != "sum" && as_if_zeros_came_in)
    return fmt::format(
        "What do threads without an element contribute? It must be the identity of {}.",
        asked.what.op);
  auto const lacks = [&](std::size_t tile) {
    return got == total<T>(asked, asked.n - asked.n % tile);
  };
  if (e.scan ? first >= asked.n - partial : lacks(threads) || lacks(2 * threads))
    return fmt::format(
        "{} is not a multiple of the {} threads of a block: what happens in the last, partial "
        "block?",
        asked.n, threads);
  return {};
}

template <class T>
verdict compare(exercise const& e, run_request const& asked, run_result const& got) {
  auto const wanted = expected<T>(e, asked);
  if (!got.has_values || got.values.size() != wanted.size() * sizeof(T))
    return {"wrong result", "the program left no results", {}, {}, {}};
  std::vector<T> values(wanted.size());
  if (!values.empty()) std::memcpy(values.data(), got.values.data(), got.values.size());
  auto const [w, g] = std::mismatch(wanted.begin(), wanted.end(), values.begin());
  if (w == wanted.end()) return {};
  auto const first = static_cast<std::size_t>(w - wanted.begin());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) wrong += wanted[i] == values[i] ? 0u : 1u;
  unsigned char untouched[sizeof(T)];
  std::memset(untouched, 0xff, sizeof untouched);
  bool const blank = std::memcmp(&*g, untouched, sizeof untouched) == 0;
  verdict v{"wrong result", {}, advice_on_values<T>(e, asked, first, *g), {}, {}};
  v.sentence = fmt::format(
      "{} should be {} but is {}{}{}", e.scan ? fmt::format("result {}", first) : "the result",
      shown(*w), shown(*g), blank ? ", as if it had never been written" : "",
      wrong > 1 ? fmt::format("; {} of {} results are wrong", wrong, wanted.size()) : "");
  return v;
}

verdict compare_values(exercise const& e, run_request const& asked, run_result const& got) {
  if (asked.what.type == "i64") return compare<std::int64_t>(e, asked, got);
  if (asked.what.type == "f64") return compare<double>(e, asked, got);
  if (asked.what.type == "affine") return compare<ours::map_element>(e, asked, got);
  return compare<std::int32_t>(e, asked, got);
}

/// Advice for each kind of finding.
std::string advice_on(std::string_view kind) {
  using enum sim::finding_kind;
  struct row {
    sim::finding_kind kind;
    char const* advice;
  };
  static constexpr row rows[] = {
      {race_in_block,
       "Nothing orders these two accesses. __syncthreads() would order them for the whole block, "
       "__syncwarp() for one warp, at a point that all their threads reach."},
      {race_between_blocks,
       "Blocks run in any order. Only a flag together with fences, or a separate launch, orders "
       "their accesses."},
      {missing_fence,
       "Seeing a flag says nothing about other memory: the writer needs a __threadfence() before "
       "it sets the flag, and the reader one after it has seen it."},
      {out_of_bounds,
       "Which index does the first thread compute, and which the last? What if n is not a multiple "
       "of the tile?"},
      {uninitialised_read,
       "An element is read before it is written: is a barrier missing, or a value for the threads "
       "beyond n?"},
      {barrier_divergence,
       "All threads of a block must reach the same __syncthreads(): it must not be in a branch "
       "that "
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
       "A thread polls in a loop for a change that never happens. Which thread sets the flag, and "
       "is "
       "its block guaranteed to have started?"},
      {broken_promise, ".independent_blocks promises that no block reads what another one writes."},
      {misaligned, "A vector access needs an address that is a multiple of its size."},
  };
  for (auto const& r : rows)
    if (kind == sim::name_of(r.kind)) return r.advice;
  if (kind == "crash")
    return "Which pointer of the kernel is null, or points to host memory? Kernels take "
           "global<T>.";
  return {};
}

std::string advice_on(finding const& f) {
  if (f.sentence.find("atomicAdd()") == std::string::npos) return advice_on(f.kind);
  return "An update reads, computes and writes: between its read and its write another thread may "
         "do the same. An atomic function does all three indivisibly.";
}

std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// The least work of any kernel on n elements: with less, the results were not computed from them.
verdict judge_effort(exercise const& e, run_request const& asked, run_result const& got) {
  if (asked.laws || asked.n < static_cast<std::uint64_t>(e.threads)) return {};
  std::uint64_t const n = asked.n, size = asked.what.type == "i32" ? 4 : 8;
  struct effort {
    char const* counter;
    std::uint64_t least;
    std::string why;
  };
  std::vector<effort> efforts{{"launches", 1, "a kernel must compute the results"}};
  if (asked.count) {
    efforts.push_back({"global_bytes", (e.scan ? 2 : 1) * n * size,
                       e.scan ? "every element must be read, and every result written"
                              : "every element must be read"});
    // The host may combine the partial results of warps.
    efforts.push_back(
        {"applications", n - (n + 31) / 32 - 1, "every element must be combined with another one"});
  }
  for (auto const& [counter, least, why] : efforts) {
    auto const found = got.counters.find(counter);
    std::uint64_t const spent = found == got.counters.end() ? 0 : found->second;
    if (spent < least)
      return {"budget",
              fmt::format("{}: {}, but at least {} are needed: {}", in_words(counter), spent, least,
                          why),
              "Does a kernel compute all results, from the elements in global memory?",
              {},
              {}};
  }
  return {};
}

/// Judges the outcome of a run without its budget.
verdict judge_run(exercise const& e, run_request const& asked, run_result const& got) {
  if (!got.broken_laws.empty())
    return {"not a monoid",
            fmt::format("{} {}", e.own_operator, got.broken_laws.back()),
            "A tree also combines results with results. What must an element hold so that two "
            "consecutive ranges of steps can be combined into one?",
            {},
            {}};
  if (asked.laws) return {};
  if (!got.findings.empty()) {
    auto const& f = got.findings.front();
    return {f.kind, f.sentence, advice_on(f), {f.first, f.second}, {}};
  }
  if (!got.failure.empty())
    return {got.failure_kind, got.failure, advice_on(got.failure_kind), {}, {}};
  if (!got.exception.empty())
    return {"exception", "the host plan threw an exception: " + got.exception, {}, {}, {}};
  return compare_values(e, asked, got);
}

}  // namespace

std::string describe(run_request const& r) {
  if (r.laws) return "the laws of the operator";
  std::string const how = r.schedule == "in-order"
                              ? std::string("in order")
                              : fmt::format("{} schedule {}", r.schedule, r.schedule_seed);
  return fmt::format("n = {}, {} of {}, {}{}", r.n, r.what.op, r.what.type, how,
                     r.resident == 16 ? ""
                                      : fmt::format(", {} block{} at a time", r.resident,
                                                    r.resident == 1 ? "" : "s"));
}

verdict judge(exercise const& e, check const& c, run_request const& asked, run_result const& got) {
  verdict v = judge_run(e, asked, got);
  if (v.passed()) v = judge_effort(e, asked, got);
  if (v.passed() && c.limit != nullptr) {
    auto const found = got.counters.find(c.limit->counter);
    std::uint64_t const cost = found == got.counters.end() ? 0 : found->second;
    if (cost > c.limit->limit()) {
      v.kind = "budget";
      v.sentence = fmt::format("{}: {}, but at most {} are allowed", in_words(c.limit->counter),
                               cost, c.limit->limit());
    }
  }
  v.run = describe(asked);
  return v;
}

}  // namespace upsweep::lab::grading
