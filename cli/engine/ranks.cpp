/// rank, dense-rank, percent-rank, row-number and ntile of each value of a column, and how many
/// different values there are so far: they need all values of a group.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/operators.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/host/executor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Sorts the values that reduce() has shown when scan() asks for the first result. -0 and 0 are
/// one number, NaNs are one, the largest.
template <class T>
class rank_aggregate final : public aggregate {
 public:
  rank_aggregate(operator_use const& use, std::string name, bool descends, std::uint64_t tiles,
                 aggregate_settings const& settings)
      : aggregate(dynamic::dtype_of<T>,
                  {{std::move(name),
                    use.id == tool_operator("percent-rank") ? io::dtype::f64 : io::dtype::u64}}),
        id_(use.id),
        descends_(descends),
        tiles_(tiles),
        on_{.threads = settings.threads} {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void initialize(std::uint64_t /*first_row*/) override {
    values_.clear();
    ranks_.clear();
    next_ = 0;
  }
  void update(std::span<io::typed_column const> values) override {
    for (T const x : values[0].as<T>()) values_.push_back(one_of_equals(x));
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    if (ranks_.empty()) rank_all();
    std::size_t const n = values[0].size();
    if (id_ == tool_operator("percent-rank")) {
      auto const out = results[0].extend<double>(n);
      auto const others = static_cast<double>(std::max<std::size_t>(ranks_.size(), 2) - 1);
      for (double& percent : out) percent = static_cast<double>(ranks_[next_++] - 1) / others;
    } else {
      auto const out = results[0].extend<std::uint64_t>(n);
      std::copy_n(ranks_.begin() + static_cast<std::ptrdiff_t>(next_), n, out.begin());
      next_ += n;
    }
  }

 private:
  static bool equal(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a)) return std::isnan(b);
    return a == b;
  }

  void rank_all() {
    std::size_t const n = values_.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    dynamic::sort_by_key(on_, takes(), values_.data(), dynamic::dtype_of<std::size_t>, order.data(),
                         n, descends_);
    ranks_.resize(n);
    std::uint64_t different = 0;
    for (std::size_t first = 0, end = 0; first < n; first = end) {
      while (end < n && equal(values_[first], values_[end])) ++end;
      ++different;
      for (std::size_t i = first; i < end; ++i) ranks_[order[i]] = rank(i, first, different);
    }
    if (id_ == tool_operator("distinct"))
      std::partial_sum(ranks_.begin(), ranks_.end(), ranks_.begin());
  }
  /// The rank of value i in sorted order. Its group of equal values begins at index `first` and has
  /// the number `different`.
  [[nodiscard]] std::uint64_t rank(std::size_t i, std::size_t first,
                                   std::uint64_t different) const {
    if (id_ == tool_operator("distinct"))
      return i == first ? 1 : 0;  // the first in the order of rows
    if (id_ == tool_operator("dense-rank")) return different;
    if (id_ == tool_operator("row-number")) return i + 1;
    if (id_ == tool_operator("ntile")) return tile(i);
    return first + 1;
  }
  /// As in SQL: the first tiles have one value more, if the values cannot be divided evenly.
  [[nodiscard]] std::uint64_t tile(std::uint64_t i) const {
    std::uint64_t const size = values_.size() / tiles_, larger = values_.size() % tiles_;
    std::uint64_t const in_larger = larger * (size + 1);
    return 1 + (i < in_larger ? i / (size + 1) : larger + (i - in_larger) / size);
  }

  catalog::id id_;
  bool descends_;
  std::uint64_t tiles_;
  cpu on_;
  std::vector<T> values_;
  std::vector<std::uint64_t> ranks_;  // of each value, in the order of the rows
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<aggregate> make_rank(operator_use const& use, io::dtype type,
                                     aggregate_settings const& settings) {
  std::string const name = use.written();
  std::string_view rest = use.parameter;
  bool const descends = rest.ends_with("descending");
  if (descends) rest.remove_suffix(std::min<std::size_t>(rest.size(), 11));  // and the ':'
  std::uint64_t tiles = 1;
  if (use.id == tool_operator("ntile"))
    io::parse_option_number(std::string(rest), io::dtype::u64, &tiles, "--op " + name);
  if (tiles == 0)
    throw io::usage_error(fmt::format("--op {}: there must be at least one tile.", name));
  return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<aggregate> {
    return std::make_unique<rank_aggregate<T>>(use, name, descends, tiles, settings);
  });
}

}  // namespace upsweep::cli
