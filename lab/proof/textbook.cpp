/// Runs kernels over intervals, and those whose operator must commute over disjoint sets.
#include <upsweep/simt/check/upsweep_intervals.h>
#include <io/error.hpp>
#include <lab/kernel_table.hpp>
#include <lab/proof/proof.hpp>
#include <lab/run.hpp>
#include <lab/values.hpp>
#include <upsweep/sim/machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::lab {

namespace {

/// The monoid of disjoint sets: what combines {0}, {1} ... {n-1} to {0 ... n-1} combines any n
/// elements correctly, whatever the operator is, if that is associative and commutes.
///
/// The sets that a run has made, each kept under its number as bits: two operands are joined in
/// n / 64 steps. An element of the kernel is the number of a set, in 64 bits that
/// no other value has by chance.
class disjoint_sets {
 public:
  using word = std::uint64_t;
  static constexpr word empty = 0xa3c5'9be1'704d'62f8;

  /// {element}
  [[nodiscard]] word single(std::size_t element);
  /// The union. An error remembers the first element that both sets had.
  [[nodiscard]] word join(word a, word b);
  /// Empty if `x` is {0 ... n-1}; else what it is.
  [[nodiscard]] std::string difference(word x, std::size_t n) const;

 private:
  using bits = std::vector<std::uint64_t>;

  [[nodiscard]] bits const* set_of(word x) const;
  [[nodiscard]] word add(bits made);

  std::vector<bits> sets_;
};

constexpr std::uint64_t mask = 0xffff'ffff;
constexpr std::uint64_t set_mark = 0xb617'd04e, twice_mark = 0xc94f'a12b,
                        foreign = 0xd1e8'57b3'6c0f'94a2;

constexpr std::uint64_t marked(std::uint64_t mark, std::size_t number) {
  return mark << 32 | number;
}

disjoint_sets::word disjoint_sets::add(bits made) {
  sets_.push_back(std::move(made));
  return marked(set_mark, sets_.size() - 1);
}

disjoint_sets::bits const* disjoint_sets::set_of(word x) const {
  bool const is_set = x >> 32 == set_mark && (x & mask) < sets_.size();
  return is_set ? &sets_[x & mask] : nullptr;
}

disjoint_sets::word disjoint_sets::single(std::size_t element) {
  bits made(element / 64 + 1);
  made.back() = std::uint64_t{1} << element % 64;
  return add(std::move(made));
}

disjoint_sets::word disjoint_sets::join(word a, word b) {
  if (a == empty) return b;
  if (b == empty) return a;
  for (word const x : {a, b})
    if (x >> 32 == twice_mark || x == foreign) return x;
  bits const *x = set_of(a), *y = set_of(b);
  if (x == nullptr || y == nullptr) return foreign;
  if (x->size() < y->size()) std::swap(x, y);
  bits made = *x;
  for (std::size_t i = 0; i < y->size(); ++i) {
    if (std::uint64_t const common = made[i] & (*y)[i]; common != 0)
      return marked(twice_mark, 64 * i + static_cast<std::size_t>(std::countr_zero(common)));
    made[i] |= (*y)[i];
  }
  return add(std::move(made));
}

std::string disjoint_sets::difference(word x, std::size_t n) const {
  if (x == empty) return n == 0 ? "" : "is the identity";
  if (x >> 32 == twice_mark) return fmt::format("contains element {} twice", x & mask);
  bits const* const set = set_of(x);
  if (set == nullptr) return "contains a value that is not an element";
  for (std::size_t i = 0; i < std::max(n, 64 * set->size()); ++i) {
    bool const is_in = i / 64 < set->size() && ((*set)[i / 64] >> i % 64 & 1) != 0;
    if (is_in != (i < n)) return fmt::format("{} element {}", is_in ? "contains" : "lacks", i);
  }
  return {};
}

/// Two warps: the smallest block whose warps must wait for each other. And eight of them.
constexpr int small_block = 64, large_block = 256;

/// Kernels run over maps: what compiles for maps and for numbers does nothing with an element but
/// copy it. A map has the 64 bits of a word.
using word = std::uint64_t;
map_element carried(word x) {
  return std::bit_cast<map_element>(x);
}
word word_in(map_element x) {
  return std::bit_cast<word>(x);
}

/// The results that are expected of elements [0, 1), [1, 2) ...
struct over_intervals {
  static constexpr word empty = intervals::empty;

  [[nodiscard]] static word single(std::size_t i) { return intervals::make(i, i + 1); }
  [[nodiscard]] static word join(word a, word b) { return intervals::join(a, b); }
  /// Empty if `x` is the combination of the first n elements.
  [[nodiscard]] static std::string difference(word x, std::size_t n) {
    word const wanted = n == 0 ? empty : intervals::make(0, n);
    if (x == wanted) return {};
    return fmt::format("should be {} but is {}", intervals::text_of(wanted), intervals::text_of(x));
  }
};

/// And of elements {0}, {1} ...
struct over_sets : disjoint_sets {
  [[nodiscard]] std::string difference(word x, std::size_t n) const {
    auto const what = disjoint_sets::difference(x, n);
    return what.empty() ? what : fmt::format("{}, of the elements 0 to {}", what, n - 1);
  }
};

/// As the kernels' operator.
template <class Words>
struct joining {
  Words* words;

  template <class A>
  [[nodiscard]] A identity() const {
    return carried(Words::empty);
  }
  [[nodiscard]] map_element operator()(map_element const& earlier, map_element const& later) const {
    return carried(words->join(word_in(earlier), word_in(later)));
  }
};

struct trial {
  kernel const* which;
  bool is_scan, exclusive;
  int threads;
  std::uint64_t n;
  sim::options machine;
  bool on_every_schedule = true;
};

fit start(trial const& t, sim::machine& machine, map_element* in, map_element* out,
          sim::operation<map_element> const& op, bool ask_only = false) {
  return compiled_kernel_of(*t.which).run_affine(
      machine,
      {in, out, t.n, op, textbook::hardware_operation::none, t.threads, t.exclusive, ask_only});
}

/// What is wrong with the results.
template <class Words>
std::string difference(Words const& words, trial const& t, std::vector<map_element> const& got) {
  if (!t.is_scan) {
    auto const what = words.difference(word_in(got[0]), t.n);
    return what.empty() ? what : "the result " + what;
  }
  for (std::size_t i = 0; i < t.n; ++i)
    if (auto const what = words.difference(word_in(got[i]), t.exclusive ? i : i + 1); !what.empty())
      return fmt::format("result {} {}", i, what);
  return {};
}

/// What is wrong with a run; empty if nothing is.
template <class Words>
std::string failure_of(trial const& t) {
  Words words;
  joining<Words> const op{&words};
  sim::machine machine(t.machine);
  std::size_t const results = t.is_scan ? t.n : 1;
  auto* const in = machine.allocate<map_element>(std::max<std::size_t>(t.n, 1), "in");
  auto* const out = machine.allocate<map_element>(std::max<std::size_t>(results, 1), "out");
  std::vector<map_element> x;
  for (std::size_t i = 0; i < t.n; ++i) x.push_back(carried(words.single(i)));
  if (t.n > 0) machine.to_device(in, std::span<map_element const>(x));
  try {
    static_cast<void>(start(t, machine, in, out, sim::operation<map_element>{op}));
  } catch (sim::kernel_failure const& e) {
    return fmt::format("{}: {}", sim::name_of(e.kind()), e.what());
  }
  if (auto const& found = machine.result().findings; !found.empty())
    return fmt::format("{}: {}", sim::name_of(found.front().kind), found.front().sentence);
  return results == 0 ? std::string() : difference(words, t, machine.to_host(out, results));
}

/// Whether the kernel is compiled for such blocks of maps.
bool takes(trial const& t) {
  over_intervals none;
  joining<over_intervals> const op{&none};
  sim::machine machine(t.machine);
  auto* const in = machine.allocate<map_element>(1, "in");
  return start(t, machine, in, in, sim::operation<map_element>{op}, true) == fit::taken;
}

/// Why an operator must commute for this kernel: the first size at which it combines intervals that
/// do not meet.
std::string why_order_matters(trial t) {
  for (t.n = 0; t.n <= largest_proved; ++t.n)
    if (auto const what = failure_of<over_intervals>(t); !what.empty())
      return fmt::format("with n = {}, {}", t.n, what);
  return {};
}

std::string command_line(trial const& t, unsigned seeds) {
  return fmt::format("upsweep prove {} --sizes {} --block {} --seeds {}", t.which->stem, t.n,
                     t.threads, seeds);
}

/// The schedules of one size, up to the first failure.
bool run_size(trial t, std::vector<named_schedule> const& schedules, unsigned seeds, proof& p) {
  for (std::size_t k = 0; k < schedules.size(); ++k) {
    if (!t.on_every_schedule && t.n % schedules.size() != k) continue;
    auto const& how = schedules[k];
    t.machine = how.machine;
    ++p.runs;
    p.failure = p.covers == operators_covered::commutative ? failure_of<over_sets>(t)
                                                           : failure_of<over_intervals>(t);
    if (p.failure.empty()) continue;
    p.n = t.n;
    p.failure += fmt::format(" ({}blocks of {} threads, schedule: {})",
                             t.exclusive ? "exclusive, " : "", t.threads, how.name);
    p.again = command_line(t, seeds);
    return false;
  }
  return true;
}

/// The forms of the kernel with blocks of `threads`, over no elements.
std::vector<trial> forms_of(textbook::entry const& row, int threads) {
  trial const t{&find_kernel(row.stem), row.what == textbook::kind::scan, false, threads, 0, {}};
  std::vector<trial> all;
  for (bool const exclusive : {false, true}) {
    bool const has_form = t.is_scan ? (exclusive ? row.exclusive : row.inclusive) : !exclusive;
    trial now = t;
    now.exclusive = exclusive;
    now.machine.count = false;
    if (has_form && takes(now)) all.push_back(now);
  }
  return all;
}

/// A core of tasklets always has as many as it has.
bool has_blocks(textbook::entry const& row) {
  return !row.stem.starts_with("tasklet_");
}

std::vector<int> blocks_of(textbook::entry const& row, proof_effort const& much) {
  if (!has_blocks(row)) return {small_block};
  if (much.block == 0) return {small_block, large_block};
  if (std::ranges::find(block_sizes, much.block) == block_sizes.end())
    throw io::usage_error(
        fmt::format("prove: --block: a block of {} threads is not compiled; the sizes are {}",
                    much.block, fmt::join(block_sizes, ", ")));
  return {much.block};
}

}  // namespace

proof prove(std::string const& stem, proof_effort const& much, proof_progress const& tell) {
  auto const& row = catalog_row(stem);
  proof p{.what = stem};
  std::vector<trial> trials;
  for (int const threads : blocks_of(row, much)) {
    auto const forms = forms_of(row, threads);
    if (forms.empty()) continue;
    std::uint64_t const every = threads == large_block ? 2 : 256;
    p.tried.push_back({has_blocks(row) ? threads : 0, sizes_of_proofs(every, much)});
    auto const usual = sizes_of_proofs(every, {.sizes = much.sizes});
    for (auto const n : p.tried.back().sizes)
      for (auto form : forms) {
        form.n = n;
        form.on_every_schedule = std::ranges::binary_search(usual, n);
        trials.push_back(form);
      }
  }
  if (trials.empty()) {
    p.covers = operators_covered::none;
    p.why = much.block == 0
                ? "it takes no elements but numbers, which an instruction of the hardware combines"
                : fmt::format("it has no blocks of {} threads for intervals", much.block);
    return p;
  }
  std::ranges::stable_sort(trials, {}, &trial::n);  // the first failure is the smallest
  if (!row.keeps_order) {
    p.covers = operators_covered::commutative;
    p.why = why_order_matters(trials.front());
  }
  auto const schedules = schedules_of_proofs(much.seeds);
  for (auto const& how : schedules) p.schedules.push_back(how.name);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (tell) tell(i, trials.size());
    if (!run_size(trials[i], schedules, much.seeds, p)) break;
  }
  return p;
}

}  // namespace upsweep::lab
