/// Selections, pad and unpad by name: moved elements are instantiated by size, compared ones by
/// type.
#include <upsweep/by_name/verbs/selections.hpp>

#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <span>

namespace upsweep::dynamic {
namespace {

auto marks_of(std::uint8_t const* flags, std::size_t n) {
  static detail::as_is const flag;
  return detail::marks_by(std::span(flags, n), flag);
}

/// Parts 0 and 1, and all others as 2.
struct marks_by_parts {
  std::uint8_t const* parts;

  void operator()(std::size_t begin, std::size_t end, detail::mark* to) const {
    detail::mark_each(begin, end, to, [*this](std::size_t i) {
      return static_cast<detail::mark>(parts[i] < 2 ? parts[i] : 2);
    });
  }
};

}  // namespace

std::size_t select(cpu const& on, dtype t, void const* in, std::uint8_t const* flags, std::size_t n,
                   void* out, std::size_t room) {
  std::size_t const bytes = size_of(t);
  expect_apart("select", in, n * bytes, out, room * bytes, true);
  expect_apart("select", flags, n, out, room * bytes);
  return with_word_of(bytes, [&]<class U>() {
    auto const to = elements_at<U>(out, room);
    return detail::select_on(on, marks_of(flags, n), n,
                             detail::values_to(elements_at<U>(in, n), to))
        .of[0];
  });
}

std::size_t select_positions(cpu const& on, std::uint8_t const* flags, std::size_t n,
                             std::uint64_t* out, std::size_t room) {
  expect_apart("select_positions", flags, n, out, room * sizeof *out);
  std::span const to(out, room);
  return detail::select_on(on, marks_of(flags, n), n,
                           detail::positions_to("select_positions", n, to))
      .of[0];
}

std::size_t partition(cpu const& on, dtype t, void const* in, std::uint8_t const* flags,
                      std::size_t n, void* yes, std::size_t yes_room, void* no,
                      std::size_t no_room) {
  std::size_t const bytes = size_of(t);
  expect_apart("partition", in, n * bytes, yes, yes_room * bytes);
  expect_apart("partition", in, n * bytes, no, no_room * bytes);
  expect_apart("partition", flags, n, yes, yes_room * bytes);
  expect_apart("partition", flags, n, no, no_room * bytes);
  expect_apart("partition", yes, yes_room * bytes, no, no_room * bytes);
  return with_word_of(bytes, [&]<class U>() {
    auto const x = elements_at<U>(in, n);
    auto const to_yes = elements_at<U>(yes, yes_room), to_no = elements_at<U>(no, no_room);
    return detail::select_on(on, marks_of(flags, n), n, detail::values_to(x, to_yes),
                             detail::values_to(x, to_no, 1))
        .of[0];
  });
}

std::array<std::size_t, 3> partition(cpu const& on, dtype t, void const* in,
                                     std::uint8_t const* parts, std::size_t n,
                                     std::array<part_output, 3> const& outputs) {
  std::size_t const bytes = size_of(t);
  for (std::size_t k = 0; k < 3; ++k) {
    auto const [to, room] = outputs[k];
    expect_apart("partition", in, n * bytes, to, room * bytes);
    expect_apart("partition", parts, n, to, room * bytes);
    for (std::size_t j = 0; j < k; ++j)
      expect_apart("partition", outputs[j].to, outputs[j].room * bytes, to, room * bytes);
  }
  return with_word_of(bytes, [&]<class U>() {
    auto const x = elements_at<U>(in, n);
    auto const first = elements_at<U>(outputs[0].to, outputs[0].room),
               second = elements_at<U>(outputs[1].to, outputs[1].room),
               rest = elements_at<U>(outputs[2].to, outputs[2].room);
    auto const taken =
        detail::select_on(on, marks_by_parts{parts}, n, detail::values_to(x, first),
                          detail::values_to(x, second, 1), detail::values_to(x, rest, 2));
    return std::array<std::size_t, 3>{taken.of[0], taken.of[1], taken.of[2]};
  });
}

std::size_t unique(cpu const& on, dtype t, void const* in, std::size_t n, void* out,
                   std::size_t room) {
  detail::float_environment const ieee;
  std::size_t const bytes = size_of(t);
  expect_apart("unique", in, n * bytes, out, room * bytes, true);
  return with_compared_type(t, [&]<class T>() {
    auto const x = elements_at<T>(in, n);
    auto const to = elements_at<T>(out, room);
    same const equal;
    return detail::select_on(on, detail::heads_of(x, equal), n, detail::values_to(x, to)).of[0];
  });
}

std::size_t runs(cpu const& on, dtype t, void const* in, std::size_t n, void* values,
                 std::uint64_t* lengths, std::size_t room) {
  detail::float_environment const ieee;
  std::size_t const bytes = size_of(t);
  expect_apart("runs", in, n * bytes, values, room * bytes);
  expect_apart("runs", in, n * bytes, lengths, room * sizeof *lengths);
  expect_apart("runs", values, room * bytes, lengths, room * sizeof *lengths);
  return with_compared_type(t, [&]<class T>() {
    auto const x = elements_at<T>(in, n);
    auto const to = elements_at<T>(values, room);
    std::span const starts(lengths, room);
    same const equal;
    std::size_t const count =
        detail::select_on(on, detail::heads_of(x, equal), n, detail::values_to(x, to),
                          detail::positions_to("runs", n, starts))
            .of[0];
    if (count <= room) detail::lengths_of_starts(on, lengths, count, n);
    return count;
  });
}

void pad(cpu const& on, dtype t, void* x, padded_rows const& shape, void const* fill) {
  with_word_of(size_of(t), [&]<class U>() {
    auto const elements = elements_at<U>(x, shape.rows * shape.padded);
    U const value = fill ? *static_cast<U const*>(fill) : U{};
    upsweep::pad(on, elements, shape.rows, shape.columns, shape.padded, value);
  });
}

void unpad(cpu const& on, dtype t, void* x, padded_rows const& shape) {
  with_word_of(size_of(t), [&]<class U>() {
    auto const elements = elements_at<U>(x, shape.rows * shape.padded);
    upsweep::unpad(on, elements, shape.rows, shape.columns, shape.padded);
  });
}

}  // namespace upsweep::dynamic
