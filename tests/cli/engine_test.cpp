/// Properties of the tool's engine that its output does not show: memory use, skipped work, compute
/// types.
#include "engine_on_gpu.hpp"

#include <gtest/gtest.h>
#include <cli/engine/aggregate.hpp>
#include <cli/engine/groups.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/row_pool.hpp>
#include <io/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace upsweep::cli;
using namespace upsweep::io;
using keys = std::vector<std::string>;

TEST(group_runs, do_not_walk_the_rows_of_a_table_without_keys) {
  group_runs groups({}, false);
  chunk rows;
  rows.rows = std::size_t{1} << 50;  // a loop over them would take days
  std::size_t runs = 0, covered = 0;
  for (bool const first : {true, false})
    groups.for_each(rows, [&](std::size_t, std::size_t n, bool is_new) {
      ++runs;
      covered += n;
      EXPECT_EQ(is_new, first);
    });
  EXPECT_EQ(runs, 2U);
  EXPECT_EQ(covered, std::size_t{1} << 51);
}

TEST(group_table, tells_keys_apart_that_differ_in_their_last_byte) {
  for (std::size_t length : {1U, 4U, 7U, 8U, 9U, 15U, 16U, 17U, 24U}) {
    text_buffer texts;
    for (int last = 0; last < 256; ++last)
      texts.push(std::string(length - 1, 'k') + static_cast<char>(last));
    for (std::size_t shorter = 0; shorter < length; ++shorter)
      texts.push(std::string(shorter, 'k'));
    group_table table(1);
    std::vector<std::uint32_t> groups, expected(texts.size());
    std::iota(expected.begin(), expected.end(), 0U);
    for (int turn = 0; turn < 2; ++turn) {
      table.number(std::vector{texts.view()}, 0, texts.size(), groups);
      EXPECT_EQ(groups, expected) << length;
    }
    table.number(std::vector{texts.view()}, 200, 203, groups);
    EXPECT_EQ(groups, (std::vector{200U, 201U, 202U}));
    table.clear();
    table.number(std::vector{texts.view()}, 200, 203, groups);
    EXPECT_EQ(groups, (std::vector{0U, 1U, 2U}));
    EXPECT_EQ(table.keys()[0].view()[2], texts.view()[202]);
  }
}

TEST(text_buffer, takes_texts_from_the_middle_of_a_column) {
  text_buffer from, to;
  for (char const* text : {"a", "bc", "def", "ghij"}) from.push(text);
  to.append(from.view(), 1, 2);
  to.append(from.view(), 2, 2);
  keys got;
  for (std::size_t i = 0; i < to.size(); ++i) got.emplace_back(to.view()[i]);
  EXPECT_EQ(got, (keys{"bc", "def", "def", "ghij"}));
}

TEST(row_pool, sorts_rows_by_group_and_keeps_those_of_some) {
  std::vector<std::int16_t> const values{10, 11, 12, 13, 14, 15};
  text_buffer texts;
  for (auto const v : values) texts.push("k" + std::to_string(v));
  chunk rows;
  rows.first_row = 100;
  rows.rows = values.size();
  rows.columns = {as_column(dtype::i16, std::span(values))};
  rows.keys = {texts.view()};
  row_pool pool(1, true);
  pool.append(rows, 1, std::vector<std::uint32_t>{2, 0, 1, 0, 2});
  EXPECT_EQ(pool.sort(), (std::vector<std::uint32_t>{1, 3, 2, 0, 4}));
  pool.keep_only(std::vector<group_rows>{{0, 1, 1}, {2, 3, 2}});
  auto const kept = pool.rows();
  auto const groups = pool.groups();
  EXPECT_EQ(std::vector(groups.begin(), groups.end()), (std::vector<std::uint32_t>{0, 2, 2}));
  ASSERT_EQ(kept.columns[0].size(), 3U);
  std::int16_t const expected[] = {14, 11, 15};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kept.columns[0].as<std::int16_t>()[i], expected[i]);
    EXPECT_EQ(kept.keys[0][i], "k" + std::to_string(expected[i]));
    EXPECT_EQ(kept.numbers[i], 90U + static_cast<unsigned>(expected[i]));
  }
}

enum class answer : std::uint8_t { is_new, was_there, unknown };

/// Adds a row with these keys, other ones than the row before.
answer add(group_runs& groups, keys const& row) {
  std::vector<text_buffer> columns(row.size());
  chunk one;
  one.rows = 1;
  for (std::size_t k = 0; k < row.size(); ++k) {
    columns[k].push(row[k]);
    one.keys.push_back(columns[k].view());
  }
  try {
    groups.for_each(one, [](std::size_t, std::size_t, bool is_new) { EXPECT_TRUE(is_new); });
  } catch (data_error const& error) {
    auto const repeats = std::string_view(error.what()).find("repeats at row");
    return repeats != std::string_view::npos ? answer::was_there : answer::unknown;
  }
  return answer::is_new;
}

/// Adds all of `sequence` and compares every answer with that of a set of strings.
void expect_answers_of_a_set(std::vector<keys> const& sequence) {
  group_runs groups(keys(sequence.front().size(), "k"), false);
  std::set<keys> seen;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    auto const expected = seen.insert(sequence[i]).second ? answer::is_new : answer::was_there;
    ASSERT_EQ(add(groups, sequence[i]), expected) << "group " << i;
  }
}

TEST(group_runs, answer_as_a_set_does_whatever_order_the_keys_come_in) {
  constexpr unsigned seed = 20240229;
  std::mt19937 source(seed);
  for (int columns : {1, 2, 3})
    for (int different : {2, 5, 40, 5000})
      for (int order = 0; order < 4; ++order) {
        std::vector<keys> sequence;
        for (int i = 0; i < 4000; ++i) {
          keys row;
          for (int c = 0; c < columns; ++c) {
            auto const number = source() % static_cast<unsigned>(different);
            row.push_back(std::to_string(number));
            if (c == 1) row.back().insert(0, number % 3 + 1, 'k');
          }
          if (sequence.empty() || sequence.back() != row) sequence.push_back(row);
        }
        if (order > 0) {
          std::sort(sequence.begin(), sequence.end());
          sequence.erase(std::unique(sequence.begin(), sequence.end()), sequence.end());
        }
        if (order == 2) std::reverse(sequence.begin(), sequence.end());
        if (order == 3) {  // sorted except for the last key, which repeats
          sequence.push_back(sequence[sequence.size() / 3]);
          if (sequence.size() > 1 && sequence[sequence.size() - 2] == sequence.back())
            sequence.pop_back();
        }
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << columns << " columns of "
                                          << different << ", order " << order);
        expect_answers_of_a_set(sequence);
      }
}

TEST(group_runs, take_texts_that_are_the_same_number_for_different_keys) {
  expect_answers_of_a_set({{"1"}, {"1.0"}, {"01"}, {"2"}, {"1e0"}, {"1"}});  // spellings of 1
  expect_answers_of_a_set({{"9007199254740992"},
                           {"9007199254740993"},
                           {"9007199254740992"}});  // beyond the integers of a double
  expect_answers_of_a_set({{"nan"}, {"1"}, {"nan"}, {"inf"}, {"1"}});
  expect_answers_of_a_set({{"1", "12"},
                           {"11", "2"},
                           {"1", "1"},
                           {"", "112"},
                           {"112", ""},
                           {"11", "2"}});  // the same characters, divided differently
}

/// 40,000 sorted groups of 500 bytes, more than are kept.
template <class Key>
answer answer_after_many(Key const& key, std::string const& last) {
  group_runs groups({"k"}, false);
  for (int i = 0; i < 40000; ++i)
    if (add(groups, {key(i)}) != answer::is_new) return answer::was_there;
  return add(groups, keys{last});
}

TEST(group_runs,
     follow_an_order_by_text_and_by_number_up_and_down_without_end_and_say_when_it_breaks) {
  std::string const zeros(494, '0');
  auto const text = [&](int i) { return zeros + std::to_string(100000 + i); };
  auto const number = [&](int i) { return std::to_string(i) + "." + zeros; };
  using enum answer;
  EXPECT_EQ(answer_after_many(text, text(40000)), is_new);
  EXPECT_EQ(answer_after_many([&](int i) { return text(40000 - i); }, text(0)), is_new);
  // Reaches 100000, which is less than 99999 as text, after the keys were dropped.
  EXPECT_EQ(answer_after_many([&](int i) { return number(62000 + i); }, number(102000)), is_new);
  EXPECT_EQ(answer_after_many([&](int i) { return number(138000 - i); }, number(98000)), is_new);
  EXPECT_EQ(answer_after_many(text, text(7)), unknown);
  EXPECT_EQ(answer_after_many([&](int i) { return number(62000 + i); }, number(62007)), unknown);
}

TEST(make_aggregate, takes_integers_as_narrow_as_the_file_has_them) {
  for (dtype const type : {dtype::i8, dtype::u8, dtype::i16, dtype::u16, dtype::i32, dtype::u32,
                           dtype::i64, dtype::u64})
    for (auto const& use :
         parse_operators({"sum", "product", "min", "max", "bit-and", "bit-or", "bit-xor"}))
      EXPECT_EQ(make_aggregate(use, type, {})->takes(), type)
          << use.name << " of " << name_of(type);
}

TEST(make_aggregate, refuses_an_initial_value_of_a_recurrence) {
  aggregate_settings settings;
  settings.initial = "1";
  for (auto const& use : parse_operators({"recurrence:0.5", "polynomial:2"}))
    EXPECT_THROW((void)make_aggregate(use, dtype::f64, settings), usage_error) << use.name;
}

namespace {

namespace catalog = upsweep::catalog;

/// Plays the GPU: the engine on the CPU. Pairs of affine come out with b alone, which is the
/// result.
class played_stream final : public device_reduction, public device_scan {
 public:
  played_stream(catalog::id op, dtype element, void const* initial, bool scans)
      : element_(element), pairs_(op == catalog::id::affine) {
    aggregate_settings settings;
    settings.scans = scans;
    operator_use const use{op, std::string(catalog::name_of(op)), ""};
    dtype const type = make_aggregate(use, element, settings)->fields()[0].type;
    if (initial != nullptr)
      settings.initial = number_at(static_cast<std::byte const*>(initial) + offset(), type);
    fold_ = make_aggregate(use, element, settings);
    results_.emplace_back(type);
  }

  void restart() override { fold_->initialize(0); }
  void push(void const* values, std::size_t n) override { fold_->update(columns(values, n)); }
  void store_total(void* result) const override {
    results_[0].clear();
    fold_->finalize(results_);
    store(result);
  }
  void push(void const* values, std::size_t n, void* results) override {
    results_[0].clear();
    fold_->scan(upsweep::scan_kind::inclusive, columns(values, n), results_);
    store(results);
  }

 private:
  [[nodiscard]] std::size_t offset() const { return pairs_ ? size_of(element_) : 0; }

  static std::string number_at(std::byte const* at, dtype type) {
    std::string text;
    upsweep::dynamic::dispatch(
        upsweep::dynamic::join<upsweep::dynamic::integers, upsweep::dynamic::wide_floats>{}, type,
        [&]<class T>() { text = std::to_string(*reinterpret_cast<T const*>(at)); },
        [] { ADD_FAILURE() << "no accumulator"; });
    return text;
  }

  std::vector<typed_column> columns(void const* values, std::size_t n) {
    std::size_t const count = pairs_ ? 2 : 1;
    typed_column const all{element_,
                           {static_cast<std::byte const*>(values), count * n * size_of(element_)}};
    columns_.clear();
    std::vector<typed_column> views;
    for (std::size_t c = 0; c < count; ++c)
      columns_.emplace_back(element_).append_strided(all, c, static_cast<std::ptrdiff_t>(count), n);
    for (auto const& column : columns_) views.push_back(column.view());
    return views;
  }
  void store(void* to) const {
    auto const all = results_[0].view();
    std::size_t const size = size_of(all.type), step = size + offset();
    for (std::size_t i = 0; i < all.size(); ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * step + offset(), element(all, i), size);
  }

  dtype element_;
  bool pairs_;
  std::unique_ptr<aggregate> fold_;
  std::vector<column_buffer> columns_;
  mutable std::vector<column_buffer> results_;
};

constexpr device_streams played_gpu{
    [](catalog::id op, dtype element, void const* initial) -> std::unique_ptr<device_reduction> {
      return std::make_unique<played_stream>(op, element, initial, false);
    },
    [](catalog::id op, dtype element, void const* initial) -> std::unique_ptr<device_scan> {
      return std::make_unique<played_stream>(op, element, initial, true);
    }};

}  // namespace

TEST(engine_on_gpu, has_the_bytes_of_the_processor_for_every_pair_and_chunk) {
  upsweep::test::expect_engine_agrees_for_all({0, 1, 2, 3, 31, 32, 33, 1000, 4099},
                                              {1, 2, 3, 0, 1024, 5, 31, 700}, played_gpu);
}

TEST(engine_on_gpu, refuses_an_operator_that_it_has_not_and_names_those_that_it_has) {
  aggregate_settings settings;
  settings.on_gpu = &played_gpu;
  for (auto const& use : parse_operators(
           {"bit-and", "argmax", "var", "exact-sum", "checked-sum", "first", "ema:0.5", "any"})) {
    SCOPED_TRACE(use.name);
    try {
      if (use.name == "var")
        (void)make_summary(catalog::id::moments, {use.name}, settings);
      else
        (void)make_aggregate(use, use.name == "ema" ? dtype::f64 : dtype::i64, settings);
      ADD_FAILURE() << "made";
    } catch (usage_error const& e) {
      std::string const says = e.what();
      EXPECT_NE(says.find("--on cuda does not support " + use.name + " over "), std::string::npos)
          << says;
      EXPECT_NE(says.find("; product over i32, i64, f32, f64; min over "), std::string::npos)
          << says;
    }
  }
}
