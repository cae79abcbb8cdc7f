/// Copies blocks of values into columns.
#include <cli/expression/computed_values.hpp>

#include <cli/expression/values.hpp>
#include <io/number.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::cli {

namespace {

/// Calls f(values) with those of the type, which is not text.
template <class F>
void with_numbers(block_values const& values, expression_type type, F const& f) {
  if (type == expression_type::integer)
    f(values.integers);
  else if (type == expression_type::natural)
    f(values.naturals);
  else if (type == expression_type::truth)
    f(values.truths);
  else
    f(values.decimals);
}

}  // namespace

io::dtype dtype_of(expression_type type) noexcept {
  return type == expression_type::integer   ? io::dtype::i64
         : type == expression_type::natural ? io::dtype::u64
         : type == expression_type::truth   ? io::dtype::boolean
                                            : io::dtype::f64;
}

void append_numbers(expressions& of, std::size_t expression, io::chunk const& rows,
                    io::missing_words const* missing, column_buffer& to, column_buffer& present) {
  of.evaluate(expression, rows, missing, [&](std::size_t, block_values const& values) {
    with_numbers(values, of.type(expression), [&]<class T>(std::vector<T> const& numbers) {
      using element = std::conditional_t<std::is_same_v<T, std::uint8_t>, bool, T>;
      std::ranges::copy(numbers, to.extend<element>(numbers.size()).begin());
      if (missing == nullptr) return;
      auto const known = present.extend<bool>(numbers.size());
      for (std::size_t i = 0; i < known.size(); ++i) known[i] = !values.is_unknown(i);
    });
  });
}

void append_texts(expressions& of, std::size_t expression, io::chunk const& rows,
                  io::missing_words const* missing, text_buffer& to, column_buffer* present) {
  std::string text;
  auto const append = [&](std::size_t, block_values const& values) {
    auto const before = to.size();
    auto const type = of.type(expression);
    for (std::size_t i = 0; i < values.texts.size(); ++i)
      to.push(values.is_unknown(i) ? std::string_view() : values.texts[i]);
    with_numbers(values, type, [&](auto const& numbers) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        text.clear();
        auto const value = numbers[i] == 0 ? std::decay_t<decltype(numbers[i])>() : numbers[i];
        if (!values.is_unknown(i)) io::append_number(text, dtype_of(type), &value);
        to.push(text);
      }
    });
    if (present == nullptr) return;
    auto const known = present->extend<bool>(to.size() - before);
    for (std::size_t i = 0; i < known.size(); ++i) known[i] = !values.is_unknown(i);
  };
  of.evaluate(expression, rows, missing, append, true);
}

}  // namespace upsweep::cli
