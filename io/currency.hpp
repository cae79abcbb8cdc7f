/// Amounts of money as people and bank statements write them: "$1,234.50", "(12.00)", "3.00- EUR".
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

struct amount {
  std::string_view number;  ///< between currency and signs
  bool is_negative = false;
  std::string currency{};  ///< as written, before and after the number; empty if there is none
};

/// Takes an amount apart: currency signs and codes before or after it, and for a negative a
/// minus before or after it, or parentheses. Nothing if it has other words or two signs of one
/// kind, or if a minus follows the decimal separator: "5.-" may be 5 or -5.
[[nodiscard]] std::optional<amount> parse_amount(std::string_view text, char decimal);

/// The currency of the amounts of a column: that of the first that has one.
class one_currency {
 public:
  /// False if another is known. Several threads may call it.
  [[nodiscard]] bool takes(std::string_view currency) noexcept;
  [[nodiscard]] std::string name() const;

 private:
  std::atomic<std::uint64_t> bytes_ = 0;  // its first eight
};

/// The currency of each column by its name, in all files that are read as one.
class column_currencies {
 public:
  /// Several threads may call it; the result stays where it is.
  [[nodiscard]] one_currency& of(std::string const& column) {
    std::lock_guard const lock(mutex_);
    return columns_[column];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, one_currency> columns_;
};

}  // namespace upsweep::io
