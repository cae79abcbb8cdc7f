/// The selections of the CUDA backend on the emulator: the elements, positions and lengths of the
/// reference at every size, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/select/ring.hpp>
#include <upsweep/cuda/select/tiles.hpp>
#include <upsweep/cuda/select/wave.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
struct is_below {
  T limit;
  __device__ bool operator()(T const& x) const { return x < limit; }
};
struct are_equal {
  template <class T>
  __device__ bool operator()(T const& a, T const& b) const {
    return a == b;
  }
};

template <class T, unsigned part = 0>
using values_to = selection_output<taken::values, part, T*, T>;
using positions_to = selection_output<taken::positions, 0, std::uint32_t*, std::uint32_t>;
using lengths_to = selection_output<taken::lengths, 0, std::uint32_t*, std::uint32_t>;
using heads_to = selection_output<taken::heads, 0, head_words, word>;

struct by_ring {
  template <class T>
  static constexpr std::size_t chunk = small_tile<T>::chunk;
  ring_plan plan{3, 2};
  unsigned blocks = 3, run_log2 = 0;

  template <class T, class Marks, class... Outputs>
  void operator()(sim::machine& m, selection_call const& call, Marks const& marks, T const* in,
                  workspace_words w, Outputs const&... outputs) const {
    using layout = select_layout<small_tile<T>, T, Marks, Outputs...>;
    m.launch({.name = "select_ring",
              .blocks = {blocks},
              .threads = {layout::threads},
              .shared_bytes = layout::shared_bytes(plan)},
             select_ring<small_tile<T>, T, Marks, Outputs...>, call, marks, in, run_log2, w, plan,
             outputs...);
  }
};
template <class T>
using loaded_tile = tile_shape<2, 2, vector_items<T>(sizeof(T) == 1 ? 16 : 4)>;

struct by_tiles {
  template <class T>
  using shape_of = loaded_tile<T>;
  template <class T>
  static constexpr std::size_t chunk = shape_of<T>::chunk;
  bool vectors = true;
  unsigned blocks = 3;

  template <class T, class Marks, class... Outputs>
  void operator()(sim::machine& m, selection_call const& call, Marks const& marks, T const* in,
                  workspace_words w, Outputs const&... outputs) const {
    using shape = shape_of<T>;
    using input = element_input<T const*>;
    m.launch({.name = "select_tiles", .blocks = {blocks}, .threads = {shape::threads}},
             select_tiles<shape, input, Marks, Outputs...>, call, marks, input{in, vectors}, w,
             outputs...);
  }
};

struct by_wave {
  template <class T>
  static constexpr std::size_t chunk = loaded_tile<T>::chunk;
  bool vectors = true;

  template <class T, class Marks, class... Outputs>
  void operator()(sim::machine& m, selection_call const& call, Marks const& marks, T const* in,
                  workspace_words w, Outputs const&... outputs) const {
    using shape = loaded_tile<T>;
    using input = element_input<T const*>;
    auto const tiles = static_cast<unsigned>((call.most + shape::size - 1) / shape::size);
    m.launch({.name = "select_wave", .blocks = {std::max(1U, tiles)}, .threads = {shape::threads}},
             select_wave<shape, input, Marks, Outputs...>, call, marks, input{in, vectors}, w,
             outputs...);
  }
};

template <class T>
std::vector<T> runs_of_small_numbers(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(i > 0 && next() % 3 != 0 ? x.back() : static_cast<T>(next() % 100));
  return x;
}

/// Arrays on the emulator for one machine, and the comparison with what is expected.
template <class T>
class selection_case {
 public:
  selection_case(std::size_t n, scheduled const& s)
      : n_(n),
        m_(machine_for(s)),
        workspace_(workspace_on(m_, n * 20 + 64)),
        x_(runs_of_small_numbers<T>(n)),
        in_(m_.template allocate<T>(n + 1, "in")),
        counts_(m_.template allocate<word>(3, "counts")) {
    refill();
  }
  void refill() { m_.to_device(in_, std::span<T const>(x_)); }
  ~selection_case() { expect_no_finding(m_); }

  [[nodiscard]] std::vector<T> const& x() const { return x_; }
  [[nodiscard]] T* in() const { return in_; }
  template <class U>
  [[nodiscard]] U* room(std::size_t size) {
    auto* const out = m_.template allocate<U>(size + 8, "out");
    m_.fill(out, size + 8, U{77});
    return out;
  }
  template <class U>
  [[nodiscard]] U* copied(std::vector<U> const& values) {
    auto* const to = m_.template allocate<U>(values.size() + 1, "copied");
    m_.to_device(to, std::span<U const>(values));
    return to;
  }
  template <class Launch, class Marks, class... Outputs>
  void run(Launch const& launch, Marks const& marks, bool in_place, word const* length,
           Outputs const&... outputs) {
    launch(m_, selection_call{n_, length, counts_, in_place}, marks, static_cast<T const*>(in_),
           workspace_, outputs...);
  }
  /// `out`, which has `size` elements, begins with `want`, as far as it has room, and was not
  /// written to after that; count `k` is the number of elements of `want`.
  template <class U>
  void expect(char const* what, U* out, std::size_t size, std::vector<U> const& want,
              std::size_t k = 0, bool fresh = true) {
    EXPECT_EQ(m_.to_host(counts_ + k, 1)[0], want.size()) << what << " of " << n_;
    auto const got = m_.to_host(out, size + (fresh ? 8 : 0));
    for (std::size_t i = 0; i < got.size(); ++i) {
      bool const is_wanted = i < std::min(size, want.size());
      if (is_wanted || fresh) {
        ASSERT_EQ(got[i], is_wanted ? want[i] : U{77}) << what << " of " << n_ << ", element " << i;
      }
    }
  }
  /// `out` has the words of `want` and no more.
  void expect_words(char const* what, word* out, std::vector<word> want) {
    want.insert(want.end(), 8, 77);
    EXPECT_EQ(m_.to_host(out, want.size()), want) << what << " of " << n_;
  }

 private:
  std::size_t n_;
  sim::machine m_;
  workspace_words workspace_;
  std::vector<T> x_;
  T* in_;
  word* counts_;
};

/// Elements below a limit and the others, and three parts.
template <class T, class Launch>
void expect_partitions(selection_case<T>& c, T limit, Launch const& launch) {
  std::size_t const n = c.x().size();
  is_below<T> const first{limit}, second{static_cast<T>(limit / 2 + 40)};
  std::vector<T> yes, no, middle, rest;
  for (T const x : c.x()) {
    (x < limit ? yes : no).push_back(x);
    if (!(x < limit)) (x < second.limit ? middle : rest).push_back(x);
  }
  auto* const a = c.template room<T>(n);
  auto* const b = c.template room<T>(n);
  c.run(launch, marks_of_values<is_below<T>>{first}, false, nullptr, values_to<T>{a, n},
        values_to<T, 1>{b, n});
  c.expect("yes", a, n, yes);
  c.expect("no", b, n, no, 1);
  auto* const d = c.template room<T>(n);
  auto* const e = c.template room<T>(n);
  auto* const f = c.template room<T>(n);
  c.run(launch, marks_of_two<is_below<T>, is_below<T>>{first, second}, false, nullptr,
        values_to<T>{d, n}, values_to<T, 1>{e, n}, values_to<T, 2>{f, n});
  c.expect("first", d, n, yes);
  c.expect("second", e, n, middle, 1);
  c.expect("rest", f, n, rest, 2);
}

/// The same, and elements below a limit in place, without enough room, and their positions.
template <class T, class Launch>
void expect_by_value(std::size_t n, T limit, scheduled const& s, Launch const& launch) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << s << ", " << seed_note());
  selection_case<T> c(n, s);
  expect_partitions(c, limit, launch);
  std::vector<T> yes;
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(c.x()[i] < limit)) continue;
    yes.push_back(c.x()[i]);
    places.push_back(static_cast<std::uint32_t>(i));
  }
  marks_of_values<is_below<T>> const marks{{limit}};
  auto* const little = c.template room<T>(yes.size() / 2);
  c.run(launch, marks, false, nullptr, values_to<T>{little, yes.size() / 2});
  c.expect("what fits", little, yes.size() / 2, yes);
  auto* const p = c.template room<std::uint32_t>(n);
  c.run(launch, marks, false, nullptr, positions_to{p, n});
  c.expect("positions", p, n, places);
  c.run(launch, marks, true, nullptr, values_to<T>{c.in(), n});
  c.expect("in place", c.in(), n, yes, 0, false);
}

/// Flagged elements, and runs of equal ones.
template <class T, class Launch>
void expect_by_others(std::size_t n, scheduled const& s, Launch const& launch) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << s << ", " << seed_note());
  selection_case<T> c(n, s);
  random_bits next(n);
  std::vector<unsigned char> flags;
  std::vector<T> flagged, others, heads;
  // Every third element, or few of some groups of 64.
  std::vector<std::uint32_t> lengths, starts;
  for (std::size_t i = 0; i < n; ++i) {
    flags.push_back(n % 2 == 0 ? next() % 3 == 0 : i / 64 % 5 == 2 && next() % 20 == 0);
    (flags[i] != 0 ? flagged : others).push_back(c.x()[i]);
    if (i == 0 || !(c.x()[i] == c.x()[i - 1])) {
      heads.push_back(c.x()[i]);
      starts.push_back(static_cast<std::uint32_t>(i));
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  marks_of_flags<unsigned char const*> const by_flags{c.copied(flags), true};
  auto* const a = c.template room<T>(n);
  c.run(launch, by_flags, false, nullptr, values_to<T>{a, n});
  c.expect("flags", a, n, flagged);
  auto* const yes = c.template room<T>(n);
  auto* const no = c.template room<T>(n);
  c.run(launch, by_flags, false, nullptr, values_to<T>{yes, n}, values_to<T, 1>{no, n});
  c.expect("flagged", yes, n, flagged);
  c.expect("not flagged", no, n, others, 1);
  auto* const values = c.template room<T>(n);
  auto* const runs = c.template room<std::uint32_t>(n);
  c.run(launch, marks_of_heads<are_equal>{}, false, nullptr, values_to<T>{values, n},
        lengths_to{runs, n});
  c.expect("values of runs", values, n, heads);
  c.expect("lengths of runs", runs, n, lengths);
  std::size_t const chunk = Launch::template chunk<T>, chunks = (n + chunk - 1) / chunk;
  std::vector<word> bits(chunks * chunk / 32), in_front(2 * chunks);
  for (word const i : starts) {
    bits[i / 32] |= word{1} << (i % 32);
    for (std::size_t k = i / chunk + 1; k < chunks; ++k)
      in_front[2 * k] += 1, in_front[2 * k + 1] = i + 1;
  }
  auto* const keys = c.template room<T>(n);
  auto* const marked = c.template room<word>(bits.size());
  auto* const earlier = c.template room<word>(in_front.size());
  c.run(launch, marks_of_heads<are_equal>{}, false, nullptr, values_to<T>{keys, n},
        heads_to{{marked, earlier}, n});
  c.expect("values beside heads", keys, n, heads);
  c.expect_words("heads", marked, bits);
  c.expect_words("heads in front of chunks", earlier, in_front);
  c.run(launch, marks_of_heads<are_equal>{}, true, nullptr, values_to<T>{c.in(), n});
  c.expect("unique", c.in(), n, heads, 0, false);
  c.refill();
  c.run(launch, by_flags, true, nullptr, values_to<T>{c.in(), n});
  c.expect("flags in place", c.in(), n, flagged, 0, false);
}

/// Around the rows, chunks and tiles of a ring over T.
template <class T>
sizes edges() {
  constexpr std::size_t row = 32 * items_of<T>, chunk = 2 * row, tile = 2 * chunk;
  return {0,        1,       2,         items_of<T> + 1, row - 1,
          row,      row + 1, chunk - 1, chunk,           chunk + 1,
          tile - 1, tile,    tile + 1,  3 * tile + 5,    7 * tile - 3};
}

TEST(device_select, has_every_part_at_every_size_by_ring) {
  for (std::size_t const n : edges<float>()) {
    for (float const limit : {0.0f, 1.0f, 50.0f, 100.0f})
      expect_by_value<float>(n, limit, {}, by_ring{});
    expect_by_others<float>(n, {}, by_ring{});
  }
}
TEST(device_select, has_every_part_at_every_size_by_tiles) {
  for (std::size_t const n : edges<float>()) {
    for (float const limit : {0.0f, 50.0f, 100.0f})
      expect_by_value<float>(n, limit, {}, by_tiles{});
    expect_by_others<float>(n, {}, by_tiles{});
    expect_by_others<float>(n, {}, by_tiles{.vectors = false});
  }
}
TEST(device_select, has_every_part_at_every_size_by_wave) {
  for (std::size_t const n : edges<float>()) {
    for (float const limit : {0.0f, 50.0f, 100.0f}) expect_by_value<float>(n, limit, {}, by_wave{});
    expect_by_others<float>(n, {}, by_wave{});
    expect_by_others<float>(n, {}, by_wave{.vectors = false});
  }
}
TEST(device_select, takes_elements_of_every_width) {
  for (std::size_t const n : sizes{1, 33, 2047, 2049, 5001}) {
    expect_by_value<unsigned char>(n, 50, {}, by_ring{});
    expect_by_value<short>(n, 50, {}, by_ring{});
    expect_by_value<double>(n, 50, {}, by_ring{});
    expect_by_others<unsigned char>(n, {}, by_ring{});
    expect_by_others<short>(n, {}, by_ring{});
    expect_by_others<double>(n, {}, by_ring{});
    expect_by_value<unsigned char>(n, 50, {}, by_tiles{});
    expect_by_others<double>(n, {}, by_tiles{});
    expect_by_value<unsigned char>(n, 50, {}, by_wave{});
    expect_by_others<double>(n, {}, by_wave{});
  }
}
TEST(device_select, is_right_on_every_schedule) {
  for (scheduled const& s : every_schedule()) {
    for (unsigned run_log2 = 0; run_log2 < 2; ++run_log2) {
      by_ring const ring{{4, 3}, 3, run_log2};
      expect_by_value<float>(6001, 60.0f, s, ring);
      expect_by_others<float>(3001, s, ring);
      expect_by_others<float>(3002, s, ring);
      expect_by_others<unsigned char>(9001, s, ring);
    }
    expect_by_value<float>(3001, 60.0f, s, by_tiles{});
    expect_by_value<float>(6001, 60.0f, s, by_wave{});
    expect_by_others<float>(3001, s, by_wave{});
  }
}
TEST(device_select, works_with_any_number_of_stages_and_copies) {
  for (unsigned stages = 1; stages <= 7; ++stages)
    for (unsigned copies = 1; copies <= stages; copies += 2)
      for (scheduled const& s : {scheduled{}, scheduled{sim::schedule::adversarial, 3}}) {
        expect_by_value<float>(9000, 50.0f, s, by_ring{{stages, copies}, 2});
        expect_by_others<float>(5001, s, by_ring{{stages, copies}, 2});
      }
}
/// The look-back adds one count, and two for three parts.
TEST(device_select, looks_back_over_more_than_1024_tiles) {
  selection_case<float> c(512 * 1100 - 5, {.check = false});
  expect_partitions(c, 50.0f, by_ring{});
  expect_partitions(c, 50.0f, by_wave{});
}
TEST(device_select, reads_its_length_from_device_memory) {
  for (word const length : {word{0}, word{1}, word{700}, word{5000}}) {
    selection_case<float> c(3000, {});
    std::size_t const n = std::min<std::size_t>(3000, length);
    std::vector<float> yes;
    for (std::size_t i = 0; i < n; ++i)
      if (c.x()[i] < 50) yes.push_back(c.x()[i]);
    auto* const at = c.copied(std::vector<word>{length});
    marks_of_values<is_below<float>> const marks{{50}};
    auto* const a = c.room<float>(3000);
    c.run(by_ring{}, marks, false, at, values_to<float>{a, 3000});
    c.expect("ring", a, 3000, yes);
    auto* const b = c.room<float>(3000);
    c.run(by_tiles{}, marks, false, at, values_to<float>{b, 3000});
    c.expect("tiles", b, 3000, yes);
    auto* const d = c.room<float>(3000);
    c.run(by_wave{}, marks, false, at, values_to<float>{d, 3000});
    c.expect("wave", d, 3000, yes);
  }
}

}  // namespace
}  // namespace upsweep::test
