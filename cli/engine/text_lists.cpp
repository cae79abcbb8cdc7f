/// concat, distinct and distinct-list: all texts of a column, or the different ones.
#include <cli/engine/text_folding.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// All texts.
class joined_texts final : public text_folding {
 public:
  explicit joined_texts(std::string separator) : separator_(std::move(separator)) {}
  void restart() override {
    text_.clear();
    empty_ = true;
  }
  void add(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) append(rows[row]);
  }
  [[nodiscard]] std::string_view text() const override { return text_; }
  void save(saved_state& to) const override {
    put(to, empty_);
    put_text(to, text_);
  }
  void join(saved_reader& from) override {
    bool const nothing = from.take<std::uint8_t>() != 0;
    std::string const later = take_text(from);
    if (!nothing) append(later);
  }

 private:
  void append(std::string_view text) {
    if (!empty_) text_ += separator_;
    text_ += text;
    empty_ = false;
  }
  std::string separator_, text_;
  bool empty_ = true;
};

/// How many different texts there are.
class distinct_texts final : public text_folding {
 public:
  void restart() override { seen_.clear(); }
  void add(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) seen_.emplace(rows[row]);
  }
  [[nodiscard]] bool is_number() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t number() const override { return seen_.size(); }
  void save(saved_state& to) const override {
    std::vector<std::string_view> sorted(seen_.begin(), seen_.end());
    std::ranges::sort(sorted);
    put(to, sorted.size());
    for (auto const text : sorted) put_text(to, text);
  }
  void join(saved_reader& from) override {
    for (auto left = from.take_count(); left > 0; --left) seen_.insert(take_text(from));
  }

 private:
  std::unordered_set<std::string> seen_;
};

/// The different texts in the order in which they first came.
class distinct_list final : public text_folding {
 public:
  explicit distinct_list(std::string separator) : separator_(std::move(separator)) {}
  void restart() override {
    in_order_.clear();
    seen_.clear();
  }
  void add(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) append(std::string(rows[row]));
  }
  [[nodiscard]] std::string_view text() const override {
    text_ = fmt::format("{}", fmt::join(in_order_, separator_));
    return text_;
  }
  void save(saved_state& to) const override {
    put(to, in_order_.size());
    for (auto const text : in_order_) put_text(to, text);
  }
  void join(saved_reader& from) override {
    for (auto left = from.take_count(); left > 0; --left) append(take_text(from));
  }

 private:
  void append(std::string text) {
    auto const [place, is_new] = seen_.insert(std::move(text));
    if (is_new) in_order_.push_back(*place);
  }
  std::string separator_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string_view> in_order_;  // of these
  mutable std::string text_;
};

}  // namespace

std::unique_ptr<text_folding> make_text_list(operator_use const& use) {
  if (use.id == only_here::distinct) return std::make_unique<distinct_texts>();
  if (use.id == only_here::distinct_list)
    return std::make_unique<distinct_list>(use.parameter.empty() ? "," : use.parameter);
  return std::make_unique<joined_texts>(use.parameter);
}

}  // namespace upsweep::cli
