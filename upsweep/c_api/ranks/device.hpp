/// Arrays in the memory of a GPU: what a rank's part of a call asks of the GPU. The results are
/// integers, so that they are those of the host.
#pragma once

#include <upsweep/c_api/ranks/tally.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/system/system.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace upsweep::c_api {

/// The elements of an array in device memory, or one element, copied from there or from the host,
/// in place of all.
struct device_array {
  array_reader from;
  bool is_single = false;
  double real = 0;
  std::int64_t integer = 1;

  [[nodiscard]] UPSWEEP_BOTH double real_at(std::int64_t i) const {
    if (is_single) return real;
    char const* const x = address(i);
    return from.type() == UPSWEEP_F64 ? *reinterpret_cast<double const*>(x)
                                      : static_cast<double>(*reinterpret_cast<float const*>(x));
  }
  [[nodiscard]] UPSWEEP_BOTH std::int64_t integer_at(std::int64_t i) const {
    if (is_single) return integer;
    char const* const x = address(i);
    switch (from.type()) {
      case UPSWEEP_I64:
      case UPSWEEP_U64:
        return *reinterpret_cast<std::int64_t const*>(x);
      case UPSWEEP_I32:
      case UPSWEEP_U32:
        return *reinterpret_cast<std::int32_t const*>(x);
      case UPSWEEP_I16:
      case UPSWEEP_U16:
        return *reinterpret_cast<std::int16_t const*>(x);
      default:
        return *reinterpret_cast<std::int8_t const*>(x);
    }
  }

 private:
  [[nodiscard]] UPSWEEP_BOTH char const* address(std::int64_t i) const {
    std::int64_t left = 0;
    return from.at(i, left);
  }
};

/// A field. `index` has the numbers of the elements for positions.
struct device_field {
  device_array values, mask, weights, index;
  bool has_mask = false, has_weights = false, has_index = false;

  [[nodiscard]] UPSWEEP_BOTH bool keeps(std::int64_t i) const {
    return !has_mask || mask.integer_at(i) != 0;
  }
  [[nodiscard]] bool is_real() const { return c_api::is_real(values.from.type()); }
  [[nodiscard]] std::int64_t size() const { return values.from.size(); }
};

/// Which products are summed: those that are exact as two numbers, and those that are too small or
/// too large for that, times 2^-product_shift[range].
enum class product_range { usual, small, large };

/// The product of two finite numbers.
struct product_of_two {
  static constexpr int shift = 1088;         ///< 34 limbs
  static constexpr double least = 0x1p-968;  ///< from here on the error is no smaller than 2^-1074
  product_range range;
  double rounded, error;

  UPSWEEP_BOTH product_of_two(double x, double y) : range(product_range::usual), rounded(x * y) {
    double const magnitude = std::fabs(rounded);
    // Half of the shift for each factor, which both remain exact.
    if (magnitude < least && x != 0 && y != 0) {
      range = product_range::small;
      x *= 0x1p544;
      y *= 0x1p544;
    } else if (magnitude - magnitude != 0) {
      range = product_range::large;
      x *= 0x1p-544;
      y *= 0x1p-544;
    }
    rounded = x * y;
    error = std::fma(x, y, -rounded);
    if (error == 0) error = -0.0;  // which changes no sum
  }
};

[[nodiscard]] UPSWEEP_BOTH inline bool is_number(double x) {
  return x - x == 0;
}

/// The exact sum of a field of reals is that of these numbers: its elements, or the two parts of
/// each product in `range`. What is left out is -0, which changes no sum, or NaN if `marks_others`.
struct product_part {
  product_range range = product_range::usual;
  bool marks_others = false;

  /// Of x * y, rounded, or the error of that.
  UPSWEEP_BOTH double operator()(double x, double y, bool is_error) const {
    double const other = marks_others ? std::numeric_limits<double>::quiet_NaN() : -0.0;
    if (!is_number(x) || !is_number(y)) return other;
    product_of_two const product(x, y);
    if (product.range != range) return other;
    return is_error ? product.error : product.rounded;
  }
};
struct device_addends {
  using value = double;
  device_field from;
  product_part part{};

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(from.size()) * (from.has_weights ? 2 : 1);
  }
  UPSWEEP_BOTH double operator()(std::ptrdiff_t k) const {
    std::int64_t const i = from.has_weights ? k / 2 : k;
    if (!from.keeps(i)) return -0.0;
    double const x = from.values.real_at(i);
    return from.has_weights ? part(x, from.weights.real_at(i), k % 2 != 0) : x;
  }
};
/// The same for contiguous doubles.
struct device_products {
  using value = double;
  double const *x, *y;
  product_part part;

  UPSWEEP_BOTH double operator()(std::ptrdiff_t k) const {
    return part(x[k / 2], y[k / 2], k % 2 != 0);
  }
};

/// What else a tally has of a field: counts, and the sum of integers, or for products of reals how
/// many are small and large.
struct device_facts {
  std::int64_t n = 0, nan = 0, plus_infinity = 0, minus_infinity = 0;
  std::uint64_t word[3] = {0, 0, 0};  ///< 192 bits in two's complement; or two counts
};
struct add_device_facts {
  UPSWEEP_BOTH device_facts operator()(device_facts const& a, device_facts const& b) const {
    device_facts sum{a.n + b.n,
                     a.nan + b.nan,
                     a.plus_infinity + b.plus_infinity,
                     a.minus_infinity + b.minus_infinity,
                     {0, 0, 0}};
    std::uint64_t carry = 0;
    for (int k = 0; k < 3; ++k) {
      std::uint64_t const part = a.word[k] + b.word[k];
      sum.word[k] = part + carry;
      carry = (part < a.word[k] ? 1U : 0U) + (sum.word[k] < part ? 1U : 0U);
    }
    return sum;
  }
};
struct device_element_facts {
  using value = device_facts;
  device_field from;
  bool are_real = true;

  UPSWEEP_BOTH device_facts operator()(std::ptrdiff_t k) const {
    device_facts facts;
    auto const i = static_cast<std::int64_t>(k);
    if (!from.keeps(i)) return facts;
    facts.n = 1;
    if (are_real)
      note_real(i, facts);
    else
      note_integer(i, facts);
    return facts;
  }

 private:
  UPSWEEP_BOTH void note_real(std::int64_t i, device_facts& facts) const {
    double x = from.values.real_at(i);
    if (from.has_weights) {
      double const y = from.weights.real_at(i);
      if (is_number(x) && is_number(y)) {
        product_range const range = product_of_two(x, y).range;
        facts.word[0] = range == product_range::small ? 1 : 0;
        facts.word[1] = range == product_range::large ? 1 : 0;
        return;
      }
      x *= y;
    }
    if (is_number(x)) return;
    facts.nan = x != x ? 1 : 0;
    facts.plus_infinity = x > 0 ? 1 : 0;
    facts.minus_infinity = x < 0 ? 1 : 0;
  }
  UPSWEEP_BOTH void note_integer(std::int64_t i, device_facts& facts) const {
    int128 const product =
        int128{from.values.integer_at(i)} * (from.has_weights ? from.weights.integer_at(i) : 1);
    facts.word[0] = static_cast<std::uint64_t>(product);
    facts.word[1] = static_cast<std::uint64_t>(product >> 64);
    facts.word[2] = product < 0 ? ~std::uint64_t{0} : 0;
  }
};

/// The keys of the elements with their positions, and the choice of the first of two.
struct device_key {
  std::int64_t key = INT64_MAX, position = extremum::no_position;
};
struct first_device_key {
  UPSWEEP_BOTH device_key operator()(device_key const& a, device_key const& b) const {
    bool const first = a.key < b.key || (a.key == b.key && a.position <= b.position);
    return first ? a : b;
  }
};
struct device_keys {
  using value = device_key;
  device_field from;
  bool are_real = true, largest = false;

  UPSWEEP_BOTH device_key operator()(std::ptrdiff_t k) const {
    auto const i = static_cast<std::int64_t>(k);
    if (!from.keeps(i)) return {};
    std::int64_t const key = are_real ? key_of(from.values.real_at(i), largest)
                                      : key_of(from.values.integer_at(i), largest);
    return {key, from.has_index ? from.index.integer_at(i) : i};
  }
};

/// What a GPU computes of one field; what is not wanted stays empty.
struct device_task {
  device_field field;
  product_range range = product_range::usual;
  bool wants_sum = false, wants_facts = false;

  /// Without facts a sum of products tells by NaN that there are others than usual ones.
  [[nodiscard]] product_part part() const {
    return {range, range == product_range::usual && !wants_facts};
  }
};
struct device_result {
  detail::superaccumulator<double> sum;
  device_facts facts;
};

enum class memory_place { host, device, both };

}  // namespace upsweep::c_api

/// A GPU as a call of ranks uses it. What it throws is told to all ranks: refusal for arguments,
/// std::bad_alloc, and error for a device that fails.
struct upsweep_device {
  /// Where `data` is.
  [[nodiscard]] virtual upsweep::c_api::memory_place place(void const* data) const = 0;
  virtual void copy_to_host(void* to, void const* from, std::size_t bytes) const = 0;
  /// Computes all tasks, of fields that have elements, and waits for the results.
  virtual void run(std::span<upsweep::c_api::device_task const> tasks,
                   std::span<upsweep::c_api::device_result> results) const = 0;
  [[nodiscard]] virtual upsweep::c_api::device_key first_key(
      upsweep::c_api::device_keys const& keys) const = 0;

 protected:
  ~upsweep_device() = default;
};

namespace upsweep::c_api {

/// A rank's part of a call of `function`, where its arrays are.
struct local_part {
  char const* function;
  upsweep_device const* device;  ///< NULL: arrays are in the host's memory
  int threads;
  /// Only a process with CUDA has memory that the CPU cannot read, except by mistake.
  bool has_cuda = system::has_loaded("libcuda.so");

  [[nodiscard]] tally sum(upsweep_field const& field) const;
  [[nodiscard]] tally sum_of_squares(upsweep_field const& field) const;
  void sums(std::span<upsweep_field const> fields, std::span<tally> to) const;
  [[nodiscard]] extremum extreme(upsweep_field const& field, upsweep_array const* index,
                                 bool largest) const;
  /// Refuses an array that only a GPU can read.
  void require_host(char const* name, upsweep_array const& array) const;

 private:
  [[nodiscard]] bool is_on_device(upsweep_field const& field, upsweep_array const* index) const;
  [[nodiscard]] memory_place place(char const* name, upsweep_array const& array) const;
  [[nodiscard]] device_array of(upsweep_array const& array) const;
  [[nodiscard]] device_field of(upsweep_field const& field, upsweep_array const* index) const;
  void finish(device_task const& task, device_result const& result, tally& to) const;
};

}  // namespace upsweep::c_api
