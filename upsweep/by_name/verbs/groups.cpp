/// Groups by name: keys that are few integers are bins as they are, others are numbered by a hash
/// table, and where almost every element has a key of its own, all are sorted.
#include <upsweep/by_name/verbs/grouping.hpp>
#include <upsweep/by_name/verbs/numbering.hpp>
#include <upsweep/by_name/verbs/segment_engine.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::dynamic {
namespace {

/// The groups of a call, which are stored one by one.
template <class Key>
struct group_store {
  groups made;
  std::size_t result_bytes;

  group_store(call_entry const& e, std::size_t most)
      : made{most, detail::memory_for<std::byte>(most * sizeof(Key)),
             detail::memory_for<std::byte>(most * bytes_out(e))},
        result_bytes(bytes_out(e)) {}

  void store(std::size_t k, Key const& key, void const* result) const {
    std::memcpy(element_in(made.keys.get(), sizeof key, k), &key, sizeof key);
    void* const to = element_in(made.results.get(), result_bytes, k);
    if (result_bytes == 8)
      std::memcpy(to, result, 8);  // one instruction
    else
      std::memcpy(to, result, result_bytes);
  }
};

/// The smallest key and how many integers there are up to the largest one.
template <class Key>
struct key_range {
  std::make_unsigned_t<Key> lowest, last;  // `last` counts from `lowest`

  key_range(cpu const& on, std::span<Key const> keys)
      : lowest(static_cast<std::make_unsigned_t<Key>>(upsweep::reduce(on, keys, min{}))),
        last(static_cast<std::make_unsigned_t<Key>>(
            static_cast<std::make_unsigned_t<Key>>(upsweep::reduce(on, keys, max{})) - lowest)) {}
  [[nodiscard]] std::uint32_t operator()(Key key) const {
    return static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<Key>>(
        static_cast<std::make_unsigned_t<Key>>(key) - lowest));
  }
};

/// The groups of integers that are in a range of so few that each is a bin.
template <class Key>
groups reduce_range(call_entry const& e, std::span<Key const> keys, void const* in, cpu const& on,
                    key_range<Key> const& number) {
  std::size_t const n = keys.size(), bins = static_cast<std::size_t>(number.last) + 1;
  auto const find = [&](std::size_t i, std::size_t size, std::uint32_t* to) {
    host::by_64_avx2(size, [=, k = keys.data() + i](std::size_t begin) UPSWEEP_INLINED {
      return [number, from = k + begin, to = to + begin](int j)
                 UPSWEEP_INLINED { to[j] = number(from[j]) + 1; };
    });
  };
  std::size_t const bytes = bytes_out(e);
  auto const results = detail::memory_for<std::byte>(bins * bytes);
  std::vector<std::size_t> sizes(bins);
  reduce_bins(e, {find, in, n, bins, true}, on, results.get(), sizes.data());
  group_store<Key> out(e, bins);
  out.made.count = 0;
  for (std::size_t b = 0; b < bins; ++b)
    if (sizes[b] > 0) {
      auto const key = static_cast<Key>(number.lowest + static_cast<std::make_unsigned_t<Key>>(b));
      out.store(out.made.count++, key, results.get() + b * bytes);
    }
  return std::move(out.made);
}

/// The groups of any keys, or nothing if there are so many that a sort is faster.
template <class Key>
std::optional<groups> reduce_numbered(call_entry const& e, std::span<Key const> keys,
                                      void const* in, cpu const& on) {
  using word = detail::bits_of_size<sizeof(Key)>;
  std::size_t const n = keys.size(), most = n / 8;
  numbering number;
  std::vector<Key> found;
  auto const places = detail::memory_for<std::uint32_t>(n);
  for (std::size_t i = 0; i < n; ++i) {
    places[i] = number(std::bit_cast<word>(keys[i]), [](std::uint32_t) { return true; }) + 1;
    if (places[i] <= found.size()) continue;
    if (found.size() == most) return std::nullopt;
    found.push_back(keys[i]);
  }
  auto const find = [&](std::size_t i, std::size_t size, std::uint32_t* to) {
    std::copy_n(places.get() + i, size, to);
  };
  std::size_t const bytes = bytes_out(e);
  auto const results = detail::memory_for<std::byte>(found.size() * bytes);
  reduce_bins(e, {find, in, n, found.size(), true}, on, results.get(), nullptr);
  std::vector<std::uint32_t> order(found.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return found[a] < found[b]; });
  group_store<Key> out(e, order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    out.store(k, found[order[k]], results.get() + order[k] * bytes);
  return std::move(out.made);
}

/// A bound of how many keys differ that ascend.
template <class Key>
std::size_t most_groups(std::span<Key const> keys) {
  if constexpr (std::is_integral_v<Key>)
    if (!keys.empty()) {
      using word = std::make_unsigned_t<Key>;
      auto const last =
          static_cast<word>(static_cast<word>(keys.back()) - static_cast<word>(keys.front()));
      return last < keys.size() ? static_cast<std::size_t>(last) + 1 : keys.size();
    }
  return keys.size();
}

/// The groups of keys in ascending order, `most` or fewer.
groups reduce_ascending(call_entry const& e, keyed_array const& x, request const& how,
                        std::size_t most) {
  groups made{0, detail::memory_for<std::byte>(most * size_of(x.key)),
              detail::memory_for<std::byte>(most * bytes_out(e))};
  made.count = reduce_runs(e, x, how, made.keys.get(), made.results.get(), most);
  return made;
}

/// The groups of sorted copies of keys and elements.
groups reduce_sorted(call_entry const& e, keyed_array const& x, request const& how) {
  std::size_t const bytes = bytes_in(e), key_bytes = size_of(x.key);
  auto const keys = detail::memory_for<std::uint64_t>((x.n * key_bytes + 7) / 8),
             in = detail::memory_for<std::uint64_t>((x.n * bytes + 7) / 8);
  std::memcpy(keys.get(), x.keys, x.n * key_bytes);
  std::memcpy(in.get(), x.in, x.n * bytes);
  sort_by_key(how.on, x.key, keys.get(), e.element, in.get(), x.n, false);
  return reduce_ascending(e, {x.key, keys.get(), in.get(), x.n}, how, x.n);
}

std::uint64_t word_at(char const* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

/// Calls f(i, word) for words that strings of one size have alike if they are equal, without a loop
/// over bytes: the last word ends where the text does, and may overlap the one before it.
template <class F>
[[gnu::always_inline]] inline void each_word(char const* text, std::size_t size, F const& f) {
  if (size >= 8) {
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) f(i, word_at(text + i));
    if (i < size) f(size - 8, word_at(text + size - 8));
  } else {
    char last[8] = {};
    for (std::size_t i = 0; i < size; ++i) last[i] = text[i];
    f(0, word_at(last));
  }
}
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  each_word(text.data(), text.size(), [&](std::size_t, std::uint64_t word) {
    hash = (std::rotl(hash, 5) ^ word) * 0x9e3779b97f4a7c15u;
  });
  return hash;
}
bool equal_texts(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() < 8) return a == b;
  std::uint64_t different = 0;
  each_word(a.data(), a.size(),
            [&](std::size_t i, std::uint64_t word) { different |= word ^ word_at(b.data() + i); });
  return different == 0;
}

/// Numbers the contents of row(begin) ... row(end - 1), and calls appears(i, number) for the first
/// row of each.
template <class Row, class First, class Appears>
std::size_t number_part(std::size_t begin, std::size_t end, Row const& row, std::uint32_t* codes,
                        First const& first, Appears const& appears) {
  numbering number;
  for (std::size_t i = begin; i < end; ++i) {
    std::string_view const mine = row(i);
    std::size_t const known = number.size();
    codes[i] =
        number(hash_of(mine), [&](std::uint32_t k) { return equal_texts(row(first[k]), mine); });
    if (codes[i] == known) appears(i, known);
  }
  return number.size();
}

/// The same of row(0) ... row(n - 1). Each thread numbers a part; then the different ones of all
/// parts are numbered, unless they are many.
template <class Row>
std::size_t number_each(cpu const& on, std::size_t n, Row const& row, std::uint32_t* codes,
                        std::uint64_t* first) {
  constexpr std::size_t sample = std::size_t{1} << 12, worth_thread = std::size_t{1} << 15;
  auto const number = [&](std::size_t end) {
    return number_part(std::size_t{0}, end, row, codes, first,
                       [&](std::size_t i, std::size_t k) { first[k] = i; });
  };
  std::size_t const parts = detail::at_most(detail::threads_for(on, n), n / worth_thread);
  if (parts < 2 || number(sample) > sample / 4) return number(n);
  std::vector<std::vector<std::uint64_t>> found(parts);
  detail::for_each_part(on, parts, n / parts, [&](std::size_t part) {
    auto& mine = found[part];
    number_part(detail::part_begin(n, parts, part), detail::part_begin(n, parts, part + 1), row,
                codes, mine, [&](std::size_t i, std::size_t) { mine.push_back(i); });
  });
  std::vector<std::uint64_t> all;
  for (auto const& mine : found) all.insert(all.end(), mine.begin(), mine.end());
  std::vector<std::uint32_t> numbers(all.size());
  std::size_t const count = number_part(
      std::size_t{0}, all.size(), [&](std::size_t k) { return row(all[k]); }, numbers.data(), first,
      [&](std::size_t k, std::size_t code) { first[code] = k; });
  for (std::size_t k = 0; k < count; ++k) first[k] = all[first[k]];
  detail::for_each_part(on, parts, n / parts, [&](std::size_t part) {
    std::uint32_t const* mine = numbers.data();
    for (std::size_t p = 0; p < part; ++p) mine += found[p].size();
    for (std::size_t i = detail::part_begin(n, parts, part);
         i < detail::part_begin(n, parts, part + 1); ++i)
      codes[i] = mine[codes[i]];
  });
  return count;
}

}  // namespace

groups reduce_groups(call_entry const& e, keyed_array const& x, request const& how) {
  constexpr std::size_t worth_threads = std::size_t{1} << 13,  // fewer need not ask how many
      most_numbered = std::numeric_limits<std::uint32_t>::max() / 2;
  cpu const on = x.n < worth_threads ? cpu{.threads = 1, .mode = how.on.mode} : how.on;
  auto const reduce = [&]<class Key>() -> groups {
    auto const keys = elements_at<Key>(x.keys, x.n);
    if (std::is_sorted(keys.begin(), keys.end()))
      return reduce_ascending(e, x, how, most_groups(keys));
    if (how.initial) return reduce_sorted(e, x, how);
    if constexpr (std::is_integral_v<Key>) {
      key_range<Key> const range(on, keys);
      // Keys that are not there would be empty groups, whose positions are none.
      bool const has_empty = e.op != catalog::id::argmin && e.op != catalog::id::argmax;
      if (has_empty && range.last < detail::at_most(x.n, most_numbered))
        return reduce_range(e, keys, x.in, on, range);
    }
    std::optional<groups> found;
    if (x.n <= most_numbered) found = reduce_numbered(e, keys, x.in, on);
    return found ? std::move(*found) : reduce_sorted(e, x, how);
  };
  return dispatch(numbers{}, x.key, reduce, [] { return groups{}; });
}

std::size_t number_rows(cpu const& on, void const* rows, std::size_t n, std::size_t bytes,
                        std::uint32_t* codes, std::uint64_t* first) {
  auto const row = [&](std::size_t i) {
    return std::string_view(static_cast<char const*>(element_in(rows, bytes, i)), bytes);
  };
  return number_each(on, n, row, codes, first);
}

std::size_t number_texts(cpu const& on, std::string_view const* texts, std::size_t n,
                         std::uint32_t* codes, std::uint64_t* first) {
  return number_each(on, n, [&](std::size_t i) { return texts[i]; }, codes, first);
}

}  // namespace upsweep::dynamic
