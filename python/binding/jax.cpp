/// Calls from programs that XLA has compiled, for JAX: recurrences, running sums, sums of segments
/// and products, over buffers of XLA. XLA calls them without the interpreter's lock.
#include <python/binding/module.hpp>
#include <python/binding/xla_call.hpp>

#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/host/anchored_sequences.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::python {
namespace {

using dynamic::call_entry;

using call = xla_call;
using array = xla_array;

cpu executor_of(call const& c) {
  return settings{static_cast<int>(c.number("threads")), false}.executor();
}

[[noreturn]] void refuse(std::string const& sentence) {
  detail::fail(sentence.c_str());
}

/// Calls f<T>() for the type of floats of that number.
template <class F>
void with_floats(int type, F const& f) {
  if (type == xla::f32) return f.template operator()<float>();
  if (type == xla::f64) return f.template operator()<double>();
  if (type == xla::bf16) return f.template operator()<bfloat16>();
  detail::expects(type == xla::f16, "_core: not a type of floats");
  f.template operator()<float16>();
}

host::simd::lane_type recurrence_type(int type) {
  constexpr int types[] = {xla::f16, xla::bf16, xla::f32, xla::f64, xla::c64, xla::c128};
  auto const* const found = std::find(std::begin(types), std::end(types), type);
  detail::expects(found != std::end(types), "_core: not a type of recurrences");
  return static_cast<host::simd::lane_type>(found - types);
}

/// (a, b, value, totals, position) to (h, value, totals, position): elements [..., L, D], values
/// [..., D], totals [..., 8, 2, D] and positions [...], which are int32.
void linear_recurrence(call const& c) {
  array const a = c.in(0), h = c.out(0), position = c.in(4), position_after = c.out(3);
  host::simd::lane_type const type = recurrence_type(a.type());
  std::size_t const lead = a.rank() - 2, count = a.count(0, lead);
  std::size_t const tokens = a.dim(lead), lanes = a.dim(lead + 1);
  std::size_t const values = count * lanes * number_bytes_of(type);
  if (values > 0) {
    std::memcpy(c.out(1).bytes(), c.in(2).bytes(), values);
    std::memcpy(c.out(2).bytes(), c.in(3).bytes(), values * 2 * detail::anchored_digits);
  }
  auto const* const given = position.elements<std::int32_t>();
  std::vector<std::int64_t> positions(given, given + count);
  for (std::int64_t const at : positions)
    if (at < 0 || at >= static_cast<std::int64_t>(detail::anchored_size))
      refuse("linear_recurrence: state.position has " + std::to_string(at) +
             "; give numbers from 0 to 255");
  auto const of = [&](array const& x) {
    auto const row = static_cast<std::ptrdiff_t>(lanes * bytes_of(type));
    return host::sequence_elements{x.bytes(),
                                   count,
                                   tokens,
                                   lanes,
                                   row * static_cast<std::ptrdiff_t>(tokens),
                                   row,
                                   static_cast<std::ptrdiff_t>(bytes_of(type))};
  };
  host::sequence_states const states{count, c.out(1).bytes(), c.out(2).bytes(), positions.data()};
  host::run(executor_of(c), {type, of(a), of(c.in(1)), of(h), states, c.number("reverse") != 0});
  std::copy(positions.begin(), positions.end(), position_after.elements<std::int32_t>());
}

call_entry const& sum_of(dynamic::dtype type) {
  return *dynamic::find(catalog::id::sum, type);
}
template <class T>
using wide_type = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The elements in the type in which they are added: theirs, or float for those of 16 bits.
template <class T>
class wide_elements {
 public:
  using wide = wide_type<T>;

  wide_elements(array const& x, std::size_t n) {
    if constexpr (std::is_same_v<T, wide>) {
      first_ = x.elements<T>();
    } else {
      copy_.assign(x.elements<T>(), x.elements<T>() + n);
      first_ = copy_.data();
    }
  }
  [[nodiscard]] wide* first() { return first_; }

 private:
  std::vector<wide> copy_;
  wide* first_ = nullptr;
};

/// x to its running sums, along the dimension before the `trailing` last.
void cumsum(call const& c) {
  array const x = c.in(0), out = c.out(0);
  std::size_t const axis = x.rank() - 1 - static_cast<std::size_t>(c.number("trailing"));
  std::size_t const outer = x.count(0, axis), size = x.dim(axis), n = x.size(),
                    inner = x.count(axis + 1, x.rank());
  if (n == 0) return;
  with_floats(x.type(), [&]<class T>() {
    using wide = wide_type<T>;
    wide_elements<T> elements(x, n);
    wide* to = elements.first();
    if constexpr (std::is_same_v<T, wide>) to = out.elements<T>();
    dynamic::request how{executor_of(c), c.number("reverse") != 0};
    dynamic::scan_lines(dynamic::verb::inclusive_scan, sum_of(dynamic::dtype_of<wide>),
                        dynamic::lines_of_array(elements.first(), sizeof(wide), outer, size, inner),
                        how, dynamic::lines_of_array(to, sizeof(wide), outer, size, inner));
    if constexpr (!std::is_same_v<T, wide>) std::copy(to, to + n, out.elements<T>());
  });
}

/// Offsets from 0 to the number of elements.
std::vector<std::uint64_t> borders_of(std::int32_t const* offsets, std::size_t count,
                                      std::size_t size) {
  auto const wrong = [&](std::size_t k) {
    refuse("segment_sum: offsets[" + std::to_string(k) + "] is " + std::to_string(offsets[k]) +
           "; offsets must ascend from 0 to " + std::to_string(size));
  };
  std::vector<std::uint64_t> borders(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (offsets[k] < (k == 0 ? 0 : offsets[k - 1])) wrong(k);
    borders[k] = static_cast<std::uint64_t>(offsets[k]);
  }
  if (offsets[0] != 0) wrong(0);
  if (borders.back() != size) wrong(count - 1);
  return borders;
}

/// (x, offsets) to the sums of the segments along the dimension before the `trailing` last.
void segment_sum(call const& c) {
  array const x = c.in(0), offsets = c.in(1), out = c.out(0);
  std::size_t const axis = x.rank() - 1 - static_cast<std::size_t>(c.number("trailing"));
  std::size_t const outer = x.count(0, axis), size = x.dim(axis),
                    inner = x.count(axis + 1, x.rank());
  std::size_t const borders = offsets.dim(offsets.rank() - 1), segments = borders - 1;
  std::vector<std::vector<std::uint64_t>> cuts;
  for (std::size_t o = 0; o < outer; ++o)
    cuts.push_back(borders_of(offsets.elements<std::int32_t>() + o * borders, borders, size));
  if (out.size() == 0) return;
  with_floats(x.type(), [&]<class T>() {
    using wide = wide_type<T>;
    wide_elements<T> elements(x, x.size());
    T* const to = out.elements<T>();
    call_entry const& e = sum_of(dynamic::dtype_of<wide>);
    dynamic::for_each_line(
        executor_of(c), dynamic::lines_of_array(elements.first(), sizeof(wide), outer, size, inner),
        [&](std::size_t line, std::byte const* column, cpu const& here) {
          std::size_t const o = line / inner, i = line % inner;
          std::vector<wide> sums(segments);
          dynamic::run_segments(dynamic::verb::reduce, e, {column, size, cuts[o].data(), segments},
                                {here}, sums.data());
          for (std::size_t k = 0; k < segments; ++k)
            to[(o * segments + k) * inner + i] = static_cast<T>(sums[k]);
        });
  });
}

template <class T>
T product_of(T x, T y) {
  return static_cast<T>(detail::rounded(static_cast<wide_type<T>>(x) *  //
                                        static_cast<wide_type<T>>(y)));
}
/// As it is written. A sum is not fused with its products.
template <class T>
std::complex<T> product_of(std::complex<T> x, std::complex<T> y) {
  auto const times = [](T l, T r) { return detail::rounded(l * r); };
  return {times(x.real(), y.real()) - times(x.imag(), y.imag()),
          times(x.real(), y.imag()) + times(x.imag(), y.real())};
}

/// x y of each element: a product of XLA may be fused with what is added to it.
void product(call const& c) {
  array const x = c.in(0), y = c.in(1), out = c.out(0);
  auto const multiply = [&]<class T>() {
    T const *const l = x.elements<T>(), *const r = y.elements<T>();
    T* const to = out.elements<T>();
    std::size_t const n = out.size();
    constexpr std::size_t part = 4096;
    executor_of(c).for_each_part((n + part - 1) / part, part, [&](std::size_t p) {
      for (std::size_t i = p * part; i < std::min(n, (p + 1) * part); ++i)
        to[i] = product_of(l[i], r[i]);
    });
  };
  if (x.type() == xla::c64) return multiply.template operator()<std::complex<float>>();
  if (x.type() == xla::c128) return multiply.template operator()<std::complex<double>>();
  with_floats(x.type(), multiply);
}

nb::dict handlers() {
  nb::dict all;
  all["linear_recurrence"] = xla_capsule<linear_recurrence>();
  all["cumsum"] = xla_capsule<cumsum>();
  all["segment_sum"] = xla_capsule<segment_sum>();
  all["product"] = xla_capsule<product>();
  return all;
}

}  // namespace

void add_jax(nb::module_& m) {
  m.def("xla_handlers", handlers, "The handlers of XLA's calls, by name.");
}

}  // namespace upsweep::python
