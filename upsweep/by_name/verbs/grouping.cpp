/// Which elements have the same key: integers of a small range are counted as they are, other keys
/// are numbered by a hash table, and where most differ, all are sorted.
#include <upsweep/by_name/verbs/grouping.hpp>
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/numbering.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::dynamic {
namespace {

/// The number of each key, and the different keys; numbers ascend as they do.
template <class Key>
struct numbered_keys {
  detail::scratch<std::uint32_t> numbers;
  std::vector<Key> keys;
  std::vector<std::uint64_t> sizes;
};

/// Integers whose range is not larger than their number, or nothing.
template <class Key>
bool number_range(std::span<Key const> keys, numbered_keys<Key>& made) {
  if constexpr (std::is_integral_v<Key>) {
    using word = std::make_unsigned_t<Key>;
    auto const [least, most] = std::minmax_element(keys.begin(), keys.end());
    auto const lowest = static_cast<word>(*least);
    auto const last = static_cast<word>(static_cast<word>(*most) - lowest);
    if (last >= keys.size()) return false;
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(last) + 1);
    std::vector<std::uint32_t> ranks(sizes.size());
    auto const place = [&](Key key) {
      return static_cast<std::size_t>(static_cast<word>(static_cast<word>(key) - lowest));
    };
    for (Key const key : keys) ++sizes[place(key)];
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      ranks[k] = static_cast<std::uint32_t>(made.keys.size());
      if (sizes[k] == 0) continue;
      made.keys.push_back(static_cast<Key>(static_cast<word>(lowest + static_cast<word>(k))));
      made.sizes.push_back(sizes[k]);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) made.numbers[i] = ranks[place(keys[i])];
    return true;
  } else {
    return false;
  }
}

/// Any keys, or nothing if so many differ that a sort is faster.
template <class Key>
bool number_any(std::span<Key const> keys, numbered_keys<Key>& made) {
  using word = detail::bits_of_size<sizeof(Key)>;
  numbering number;
  std::vector<Key> found;
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint32_t const k =
        number(std::bit_cast<word>(keys[i]), [](std::uint32_t) { return true; });
    made.numbers[i] = k;
    if (k == found.size()) {
      if (found.size() > keys.size() / 4) return false;
      found.push_back(keys[i]), sizes.push_back(0);
    }
    ++sizes[k];
  }
  std::vector<std::uint32_t> order(found.size()), ranks(found.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return found[a] < found[b]; });
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
    ranks[order[rank]] = rank;
    made.keys.push_back(found[order[rank]]), made.sizes.push_back(sizes[order[rank]]);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) made.numbers[i] = ranks[made.numbers[i]];
  return true;
}

/// Any keys, by their order.
template <class Key>
void number_sorted(cpu const& on, std::span<Key const> keys, numbered_keys<Key>& made) {
  auto const order = detail::memory_for<std::uint64_t>(keys.size());
  argsort(on, dtype_of<Key>, keys.data(), keys.size(), false, order.get());
  made.keys.clear(), made.sizes.clear();
  for (std::size_t place = 0; place < keys.size(); ++place) {
    Key const& key = keys[order[place]];
    if (place == 0 || key != made.keys.back()) made.keys.push_back(key), made.sizes.push_back(0);
    ++made.sizes.back();
    made.numbers[order[place]] = static_cast<std::uint32_t>(made.keys.size() - 1);
  }
}

template <class Key>
numbered_keys<Key> number_keys(cpu const& on, std::span<Key const> keys) {
  detail::expects(keys.size() <= std::numeric_limits<std::uint32_t>::max(),
                  "groups: more than 2^32 - 1 elements are not supported; group them in pieces");
  numbered_keys<Key> made{detail::memory_for<std::uint32_t>(keys.size()), {}, {}};
  if (!keys.empty() && !number_range(keys, made) && !number_any(keys, made))
    number_sorted(on, keys, made);
  return made;
}

/// The borders of groups of those sizes.
detail::scratch<std::uint64_t> borders_of(std::vector<std::uint64_t> const& sizes) {
  auto borders = detail::memory_for<std::uint64_t>(sizes.size() + 1);
  borders[0] = 0;
  std::partial_sum(sizes.begin(), sizes.end(), borders.get() + 1);
  return borders;
}

/// Calls f(i, place) for each element, with its position among the groups.
template <class F>
void for_each_place(std::uint32_t const* numbers, std::size_t n, std::uint64_t const* borders,
                    std::size_t count, F const& f) {
  std::vector<std::uint32_t> next(borders, borders + count);
  for (std::size_t i = 0; i < n; ++i) f(i, next[numbers[i]]++);
}

/// Scans elements of so many bytes, whose results have as many, moved to their groups and back.
template <class Element, class Result, class Key>
void scan_moved(verb v, call_entry const& e, keyed_array const& x, request const& how,
                numbered_keys<Key> const& known, Result* out) {
  std::size_t const count = known.keys.size();
  auto const borders = borders_of(known.sizes);
  auto const places = detail::memory_for<std::uint32_t>(x.n);
  auto const moved = detail::memory_for<Element>(x.n);
  auto const* const in = static_cast<Element const*>(x.in);
  for_each_place(known.numbers.get(), x.n, borders.get(), count,
                 [&](std::size_t i, std::uint32_t place) {
                   places[i] = place;
                   moved[place] = in[i];
                 });
  auto const scanned = [&](Result* results) {
    run_segments(v, e, {moved.get(), x.n, borders.get(), count}, how, results);
    for (std::size_t i = 0; i < x.n; ++i) out[i] = results[places[i]];
  };
  if constexpr (std::is_same_v<Element, Result>)
    if (e.element == e.result) return scanned(moved.get());
  scanned(detail::memory_for<Result>(x.n).get());
}

}  // namespace

grouping group(cpu const& on, dtype t, void const* keys, std::size_t n, std::uint64_t* order) {
  auto const made = [&]<class Key>() -> grouping {
    auto const known = number_keys(on, elements_at<Key>(keys, n));
    grouping all{known.keys.size(), detail::memory_for<std::byte>(known.keys.size() * sizeof(Key)),
                 borders_of(known.sizes)};
    std::copy(known.keys.begin(), known.keys.end(), reinterpret_cast<Key*>(all.keys.get()));
    for_each_place(known.numbers.get(), n, all.borders.get(), all.count,
                   [&](std::size_t i, std::uint32_t place) { order[place] = i; });
    return all;
  };
  return dispatch(numbers{}, t, made, [] { return grouping{}; });
}

void scan_groups(verb v, call_entry const& e, keyed_array const& x, request const& how, void* out) {
  detail::expects(e.op != catalog::id::affine,
                  "groups: scans of groups do not support the operator affine");
  auto const scan = [&]<class Key>() {
    auto const keys = elements_at<Key>(x.keys, x.n);
    if (std::is_sorted(keys.begin(), keys.end())) return scan_runs(v, e, x, how, out);
    auto const known = number_keys(how.on, keys);
    with_word_of(size_of(e.element), [&]<class Element>() {
      with_word_of(size_of(e.result), [&]<class Result>() {
        scan_moved<Element>(v, e, x, how, known, static_cast<Result*>(out));
      });
    });
  };
  dispatch(numbers{}, x.key, scan, [] {});
}

}  // namespace upsweep::dynamic
