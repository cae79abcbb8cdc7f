/// concat, distinct and distinct-list: all strings of a column, or the different ones.
#include <cli/engine/group_table.hpp>
#include <cli/engine/text_aggregate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// All strings.
class joined_texts final : public text_aggregate {
 public:
  explicit joined_texts(std::string separator) : separator_(std::move(separator)) {}
  void initialize() override {
    text_.clear();
    empty_ = true;
  }
  void update(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) append(rows[row]);
  }
  [[nodiscard]] std::string_view text() const override { return text_; }
  void serialize(saved_state& to) const override {
    put(to, empty_);
    put_text(to, text_);
  }
  void combine(saved_reader& from) override {
    bool const nothing = from.take<std::uint8_t>() != 0;
    std::string const later = from.take_text();
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

/// The different strings, in the order in which they first came.
class different_texts : public text_aggregate {
 public:
  void initialize() final { seen_.clear(); }
  void update(text_rows const& rows) final {
    seen_.number({rows.column, 1}, rows.first, rows.end, groups_);
  }
  void serialize(saved_state& to) const override {
    put(to, seen_.size());
    for (std::size_t i = 0; i < seen_.size(); ++i) put_text(to, texts()[i]);
  }
  void combine(saved_reader& from) final {
    text_buffer later;
    for (auto left = from.take_count(); left > 0; --left) later.push(from.take_text());
    auto const column = later.view();
    seen_.number({&column, 1}, 0, column.size(), groups_);
  }

 protected:
  [[nodiscard]] io::text_column texts() const { return seen_.keys()[0].view(); }

 private:
  group_table seen_{1};
  std::vector<std::uint32_t> groups_;
};

/// How many there are.
class distinct_texts final : public different_texts {
 public:
  [[nodiscard]] bool is_number() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t number() const override { return texts().size(); }
  void serialize(saved_state& to) const override {  // the same for any order of rows
    std::vector<std::string_view> sorted;
    for (std::size_t i = 0; i < texts().size(); ++i) sorted.push_back(texts()[i]);
    std::ranges::sort(sorted);
    put(to, sorted.size());
    for (auto const text : sorted) put_text(to, text);
  }
};

/// All of them, joined.
class distinct_list final : public different_texts {
 public:
  explicit distinct_list(std::string separator) : separator_(std::move(separator)) {}
  [[nodiscard]] std::string_view text() const override {
    text_.clear();
    for (std::size_t i = 0; i < texts().size(); ++i) {
      if (i > 0) text_ += separator_;
      text_ += texts()[i];
    }
    return text_;
  }

 private:
  std::string separator_;
  mutable std::string text_;
};

}  // namespace

std::unique_ptr<text_aggregate> make_text_list(operator_use const& use) {
  if (use.id == tool_operator("distinct")) return std::make_unique<distinct_texts>();
  if (use.id == tool_operator("distinct-list"))
    return std::make_unique<distinct_list>(use.parameter.empty() ? "," : use.parameter);
  return std::make_unique<joined_texts>(use.parameter);
}

}  // namespace upsweep::cli
