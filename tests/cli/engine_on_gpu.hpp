/// The tool's engine with the streams of a GPU, or of what plays one, against the same engine on
/// the CPU: every pair of the list, byte for byte.
#pragma once

#include <gtest/gtest.h>
#include <cli/engine/operators.hpp>
#include <io/error.hpp>
#include <support/random.hpp>
#include <upsweep/names/compiled.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// Numbers whose combination rounds and stays finite, so that no NaN has to be compared.
template <class Op, class T>
T engine_element(random_bits& next) {
  if constexpr (std::is_integral_v<T>) {
    return random_element<T>(next);
  } else if constexpr (std::is_same_v<Op, multiplies>) {
    std::uint64_t const bits = next();
    T const x = bits % 2 == 0 ? T(1.5) : T(1 / 1.5);
    return bits % 4 < 2 ? x : -x;
  } else if constexpr (std::is_same_v<Op, affine>) {
    return static_cast<T>(small(next));
  } else {
    return static_cast<T>(scattered_float(next));
  }
}

/// A command of the engine over `columns` of one type, in chunks.
struct engine_command {
  cli::operator_use use;
  io::dtype type;
  std::optional<std::string> initial;
  std::optional<scan_kind> scans;  ///< nothing: a reduction
  std::vector<std::size_t> chunks;

  /// The bytes of the results, of two groups one after the other; nothing where the first one has
  /// no result.
  [[nodiscard]] std::optional<std::vector<std::byte>> run(
      std::vector<cli::column_buffer> const& columns, cli::device_streams const* on_gpu) const {
    cli::aggregate_settings settings;
    settings.initial = initial;
    settings.scans = scans.has_value();
    settings.on_gpu = on_gpu;
    auto const fold = cli::make_aggregate(use, type, settings);
    std::vector<cli::column_buffer> results;
    for (auto const& field : fold->fields()) results.emplace_back(field.type);
    try {
      for (std::uint64_t group = 0; group < 2; ++group) {
        fold->initialize(group);
        push(columns, *fold, results);
        if (!scans) fold->finalize(results);
      }
    } catch (io::data_error const&) {
      return {};
    }
    std::vector<std::byte> bytes;
    for (auto const& column : results) {
      auto const view = column.view().bytes;
      bytes.insert(bytes.end(), view.begin(), view.end());
    }
    return bytes;
  }

 private:
  void push(std::vector<cli::column_buffer> const& columns, cli::aggregate& fold,
            std::vector<cli::column_buffer>& results) const {
    std::size_t const n = columns[0].size();
    for (std::size_t done = 0, c = 0; done < n || c == 0; ++c) {
      std::size_t const size = std::min(chunks[c % chunks.size()], n - done);
      std::vector<cli::column_buffer> taken;
      std::vector<io::typed_column> values;
      for (auto const& column : columns)
        taken.emplace_back(fold.takes()).append(cli::slice(column.view(), done, size));
      for (auto const& column : taken) values.push_back(column.view());
      if (scans)
        fold.scan(*scans, values, results);
      else
        fold.update(values);
      done += size;
    }
  }
};

/// n values of the type, in as many columns as the operator takes.
template <class Op, class T>
std::vector<cli::column_buffer> engine_columns(std::size_t n) {
  using number = dynamic::number_of<T>;
  random_bits next(test_seed() + n);
  std::vector<cli::column_buffer> columns;
  for (int c = 0; c < (std::is_same_v<Op, affine> ? 2 : 1); ++c) {
    auto const values = columns.emplace_back(dynamic::dtype_of<number>).template extend<number>(n);
    for (auto& x : values) x = engine_element<Op, number>(next);
    // A product of floats stays near 1: which NaN comes out of infinities is outside the contract.
    if constexpr (std::is_same_v<Op, multiplies> && std::is_floating_point_v<number>)
      for (std::size_t i = 1; i < n; i += 2) values[i] = 1 / values[i - 1];
  }
  return columns;
}

template <class Op, class T>
void expect_engine_agrees(std::size_t n, std::vector<std::size_t> const& chunks,
                          cli::device_streams const& on_gpu) {
  auto const columns = engine_columns<Op, T>(n);
  std::string const name(catalog::name_of(catalog::id_of<Op>));
  for (auto const& scans : {std::optional<scan_kind>{}, std::optional(scan_kind::inclusive),
                            std::optional(scan_kind::exclusive)})
    for (auto const& initial : {std::optional<std::string>{}, std::optional<std::string>{"3"}}) {
      engine_command const command{
          {catalog::id_of<Op>, name, ""}, columns[0].type(), initial, scans, chunks};
      EXPECT_EQ(command.run(columns, &on_gpu), command.run(columns, nullptr))
          << name << " over " << name_of(columns[0].type()) << ", " << n << " values, "
          << (!scans                           ? "reduced"
              : *scans == scan_kind::inclusive ? "inclusive"
                                               : "exclusive")
          << (initial ? ", from 3; " : "; ") << seed_note();
    }
}

/// Every pair that the list has for a GPU, and the narrow types that are widened there.
inline void expect_engine_agrees_for_all(std::vector<std::size_t> const& sizes,
                                         std::vector<std::size_t> const& chunks,
                                         cli::device_streams const& on_gpu) {
  for (std::size_t const n : sizes) {
    dynamic::for_each_pair<dynamic::target::gpu>(
        [&]<class Op, class T>() { expect_engine_agrees<Op, T>(n, chunks, on_gpu); });
    expect_engine_agrees<min, std::int8_t>(n, chunks, on_gpu);
    expect_engine_agrees<max, std::int16_t>(n, chunks, on_gpu);
    expect_engine_agrees<multiplies, std::int8_t>(n, chunks, on_gpu);
    expect_engine_agrees<max, bfloat16>(n, chunks, on_gpu);
  }
}

}  // namespace upsweep::test
