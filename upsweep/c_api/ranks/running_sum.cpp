/// Running sums along an axis that is distributed: ranks exchange the exact sums of their lines,
/// and each continues those of the ranks before it.
#include <upsweep/c_api/ranks.h>
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/ranks/exchange.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::c_api {
namespace {

constexpr std::int64_t chunk = array_reader::chunk;

/// The sum of integers along a line: of 128 bits, which 2^64 integers cannot overflow.
struct integer_sum {
  int128 sum = 0;
};

/// The sum before or of one line of `T`, as integers that ranks can add.
template <class T>
struct line {
  using state = std::conditional_t<
      std::is_integral_v<T>, integer_sum,
      detail::superaccumulator<std::conditional_t<std::is_integral_v<T>, double, T>>>;
  using result = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  static constexpr std::size_t notes = 5, limb_count = [] {
    if constexpr (std::is_integral_v<T>)
      return 4;
    else
      return 2 * state::words;
  }();
  static constexpr std::size_t message = notes + limb_count;

  static void write(state const& s, std::int64_t* to) {
    std::fill_n(to, message, 0);
    if constexpr (std::is_integral_v<T>) {
      for (std::size_t i = 0; i < 3; ++i)
        to[notes + i] = static_cast<std::uint32_t>(s.sum >> 32 * i);
      to[notes + 3] = static_cast<std::int64_t>(s.sum >> 96);
    } else {
      for (std::size_t i = 0; i < notes; ++i) to[i] = s.notes() >> i & 1;
      for (int i = s.first_word(); i < s.end_word(); ++i) {
        std::int64_t* const digits = to + notes + 2 * i;
        digits[0] = static_cast<std::uint32_t>(s.word(i));
        std::uint64_t const upper = s.word(i) >> 32;
        digits[1] = i + 1 < s.end_word() ? static_cast<std::int64_t>(upper)
                                         : static_cast<std::int32_t>(upper);
      }
    }
  }

  static state read(std::int64_t* from) {
    std::span const limb(from + notes, limb_count);
    limbs::carry(limb);
    if constexpr (std::is_integral_v<T>) {
      auto upper = static_cast<uint128>(limb[3]);
      for (std::size_t i = 3; i-- > 0;) upper = upper << 32 | static_cast<std::uint64_t>(limb[i]);
      return {static_cast<int128>(upper)};
    } else {
      std::uint64_t word[state::words];
      std::uint32_t noted = 0;
      for (std::size_t i = 0; i < notes; ++i) noted |= from[i] != 0 ? 1u << i : 0u;
      for (std::size_t i = 0; i < state::words; ++i)
        word[i] = static_cast<std::uint64_t>(limb[2 * i]) |
                  static_cast<std::uint64_t>(limb[2 * i + 1]) << 32;
      // Without copies of the sign, and zeros below, which would cost time.
      int low = 0, high = state::words;
      auto const sign = [&](int i) { return static_cast<std::int64_t>(word[i]) >> 63; };
      while (high > 1 && word[high - 1] == static_cast<std::uint64_t>(sign(high - 2))) --high;
      while (low < high && word[low] == 0) ++low;
      if (low == high) low = state::words, high = 0;
      return state::of_words(word, low, high, noted);
    }
  }
};

/// The n elements of one line, of a chunk of which is in a buffer at a time.
template <class T, class F>
void for_chunks(char const* first, std::int64_t stride, std::int64_t n, F const& f) {
  T buffer[chunk];
  for (std::int64_t i = 0; i < n; i += chunk) {
    auto const m = static_cast<std::size_t>(std::min(chunk, n - i));
    for (std::size_t j = 0; j < m; ++j)
      buffer[j] = *reinterpret_cast<T const*>(first + (i + static_cast<std::int64_t>(j)) * stride);
    f(buffer, m, i);
  }
}

template <class T>
class running {
 public:
  running(ranks_of_call& ranks, upsweep_array const& values, upsweep_array const& out, int axis,
          bool exclusive)
      : ranks_(ranks),
        lines_(without(values, axis)),
        outs_(without(out, axis)),
        n_(values.shape[axis]),
        stride_(values.strides[axis]),
        out_stride_(out.strides[axis]),
        exclusive_(exclusive) {
    sent_.resize(static_cast<std::size_t>(std::min(lines_.size(), at_once)) * of::message);
    before_ = sent_;
  }

  void run() {
    std::int64_t overflows = 0;
    for (std::int64_t first = 0; first < lines_.size(); first += at_once) {
      auto const count = static_cast<std::size_t>(std::min(at_once, lines_.size() - first));
      for (std::size_t k = 0; k < count; ++k)
        of::write(sum(first + static_cast<std::int64_t>(k)), sent_.data() + k * of::message);
      ranks_.add_before(sent_.data(), before_.data(), count * of::message);
      for (std::size_t k = 0; k < count; ++k)
        overflows +=
            scan(first + static_cast<std::int64_t>(k), of::read(before_.data() + k * of::message));
    }
    if constexpr (std::is_integral_v<T>)
      if (ranks_.least(-overflows) != 0)
        ranks_.refuse("a sum does not fit into 64 bits", UPSWEEP_OVERFLOW);
  }

 private:
  using of = line<T>;
  using state = typename of::state;
  static constexpr std::int64_t at_once = 1024;  // lines in one message

  /// The first elements of all lines.
  static array_reader without(upsweep_array array, int axis) {
    array.shape[axis] = 1;
    return array_reader(array);
  }
  static char const* start(array_reader const& lines, std::int64_t k) {
    std::int64_t left = 0;
    return lines.at(k, left);
  }

  state sum(std::int64_t k) const {
    state s;
    for_chunks<T>(start(lines_, k), stride_, n_, [&](T const* x, std::size_t m, std::int64_t) {
      if constexpr (std::is_integral_v<T>)
        for (std::size_t j = 0; j < m; ++j) s.sum += x[j];
      else
        exact_sum{}.absorb_range(s, x, m);
    });
    return s;
  }

  /// Writes the results of one line; returns how many do not fit.
  std::int64_t scan(std::int64_t k, state s) const {
    auto* const out = const_cast<char*>(start(outs_, k));
    std::int64_t overflows = 0;
    typename of::result results[chunk];
    for_chunks<T>(start(lines_, k), stride_, n_, [&](T const* x, std::size_t m, std::int64_t i) {
      if constexpr (std::is_integral_v<T>) {
        for (std::size_t j = 0; j < m; ++j) {
          int128 const before = s.sum;
          s.sum += x[j];
          int128 const result = exclusive_ ? before : s.sum;
          results[j] = static_cast<std::int64_t>(result);
          overflows += results[j] != result ? 1 : 0;
        }
      } else {
        exact_sum{}.scan_range(s, x, results, m, !exclusive_);
      }
      for (std::size_t j = 0; j < m; ++j)
        *reinterpret_cast<typename of::result*>(out + (i + static_cast<std::int64_t>(j)) *
                                                          out_stride_) = results[j];
    });
    return overflows;
  }

  ranks_of_call& ranks_;
  array_reader lines_, outs_;
  std::int64_t n_, stride_, out_stride_;
  bool exclusive_;
  std::vector<std::int64_t> sent_, before_;
};

void require_running(char const* function, upsweep_array const* values, int axis,
                     upsweep_array const* out) {
  require_pointer(function, "values", values);
  require_pointer(function, "out", out);
  require_values(function, "values", *values);
  require_values(function, "out", *out);
  if (axis < 0 || axis >= values->dims)
    refuse(function, "axis is " + std::to_string(axis) + ", but `values` has " +
                         std::to_string(values->dims) + " dimensions");
  if (out->dims != values->dims) throw other_shape{};
  require_shape(*out, *values);
  upsweep_type const wanted = is_real(values->type) ? values->type : UPSWEEP_I64;
  if (out->type != wanted)
    refuse(function, "`out` is " + name_of(out->type) + "; the running sums of " +
                         name_of(values->type) + " are " + name_of(wanted));
}

template <class T>
void run_of(ranks_of_call& ranks, upsweep_array const* values, int axis, int exclusive,
            upsweep_array const* out) {
  std::vector<running<T>> work;  // of one, once its memory is there
  ranks.run_locally([&] { work.emplace_back(ranks, *values, *out, axis, exclusive != 0); });
  ranks.exchange({}, false);
  work.front().run();
}

void running_sum(upsweep_ranks const* given, upsweep_array const* values, int axis, int exclusive,
                 upsweep_array const* out) {
  char const* const function = "upsweep_global_running_sum";
  ranks_of_call ranks(function, given);
  ranks.run_locally([&] {
    require_running(function, values, axis, out);
    ranks.local().require_host("values", *values);
    ranks.local().require_host("out", *out);
  });
  ranks.must_agree(axis);
  ranks.must_agree(exclusive != 0 ? 1 : 0);
  upsweep_type const type = values ? values->type : UPSWEEP_F64;
  ranks.must_agree(static_cast<std::int64_t>(type));
  // The axis may have another length on each rank.
  for (int k = 0; values && k < std::min(values->dims, UPSWEEP_MOST_DIMS); ++k)
    if (k != axis) ranks.must_agree(values->shape[k]);
  if (type == UPSWEEP_F32) return run_of<float>(ranks, values, axis, exclusive, out);
  if (type == UPSWEEP_I64) return run_of<std::int64_t>(ranks, values, axis, exclusive, out);
  if (type == UPSWEEP_I32) return run_of<std::int32_t>(ranks, values, axis, exclusive, out);
  run_of<double>(ranks, values, axis, exclusive, out);
}

}  // namespace
}  // namespace upsweep::c_api

upsweep_status upsweep_global_running_sum(upsweep_ranks const* ranks, upsweep_array const* values,
                                          int axis, int exclusive, upsweep_array const* out) {
  return upsweep::c_api::guarded(
      [&] { upsweep::c_api::running_sum(ranks, values, axis, exclusive, out); });
}
