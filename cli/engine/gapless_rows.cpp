/// Copies only columns that have a gap in the block.
#include <cli/engine/gapless_rows.hpp>

#include <algorithm>
#include <cstring>

namespace upsweep::cli {

namespace {

bool has_gap(io::typed_column present) {
  return std::memchr(present.bytes.data(), 0, present.bytes.size()) != nullptr;
}

}  // namespace

void gapless_rows::take(std::span<io::typed_column const> columns,
                        std::span<std::uint64_t const> numbers,
                        std::span<io::typed_column const> present, std::size_t first, std::size_t n,
                        bool jointly) {
  values_.clear();
  present_.clear();
  for (auto const& column : columns) values_.push_back(slice(column, first, n));
  numbers_.assign(columns.size(), numbers.empty() ? numbers : numbers.subspan(first, n));
  while (kept_values_.size() < columns.size()) kept_values_.emplace_back(io::dtype::f64);
  kept_numbers_.resize(columns.size());
  if (jointly) join(present, first, n);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    auto const here = jointly ? joint_.view() : slice(present[c], first, n);
    present_.push_back(here);
    if (has_gap(here)) keep(c, here.as<bool>());
  }
}

void gapless_rows::join(std::span<io::typed_column const> present, std::size_t first,
                        std::size_t n) {
  joint_.resize(n);
  std::memset(joint_.bytes(), 1, n);
  for (auto const& column : present) {
    auto const here = slice(column, first, n);
    for (std::size_t i = 0; i < n; ++i) joint_.bytes()[i] &= here.bytes[i];
  }
}

void gapless_rows::keep(std::size_t column, std::span<bool const> present) {
  auto const from = values_[column];
  auto& to = kept_values_[column];
  auto& numbers = kept_numbers_[column];
  std::size_t const size = size_of(from.type);
  to = column_buffer(from.type);
  to.resize(static_cast<std::size_t>(std::ranges::count(present, true)));
  numbers.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (!present[i]) continue;
    std::memcpy(to.bytes() + size * kept++, element(from, i), size);
    if (!numbers_[column].empty()) numbers.push_back(numbers_[column][i]);
  }
  values_[column] = to.view();
  numbers_[column] = numbers;
}

void append_zeros(column_buffer& column, std::size_t n) {
  std::size_t const before = column.size(), size = size_of(column.type());
  column.resize(before + n);
  std::memset(column.bytes() + before * size, 0, n * size);
}

void spread(column_buffer& results, std::size_t kept, io::typed_column present, std::size_t n) {
  if (kept == n) return;
  auto const has = present.as<bool>();
  std::size_t const size = size_of(results.type()), before = results.size() - kept;
  append_zeros(results, n - kept);
  std::byte* const rows = results.bytes() + before * size;
  for (std::size_t i = n; i-- > 0;) {
    if (has[i])
      std::memmove(rows + i * size, rows + --kept * size, size);
    else
      std::memset(rows + i * size, 0, size);
  }
}

void repeat(saved_state& latest, column_buffer& results, std::span<bool const> present) {
  std::size_t const size = size_of(results.type());
  std::byte* row = results.bytes() + (results.size() - present.size()) * size;
  std::byte const* before = latest.empty() ? nullptr : latest.data();
  for (bool const has : present) {
    if (has)
      before = row;
    else if (before != nullptr)
      std::memcpy(row, before, size);
    row += size;
  }
  if (before != nullptr && before != latest.data()) latest.assign(before, before + size);
}

}  // namespace upsweep::cli
