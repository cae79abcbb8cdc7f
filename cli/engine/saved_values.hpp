/// States of operators in files of partials, in the library's bytes: the same on every machine.
#pragma once

#include <cli/engine/saved_state.hpp>
#include <upsweep/ops/bytes.hpp>

#include <span>

namespace upsweep::cli {

template <class T>
void put_value(saved_state& to, T const& value) {
  detail::bytes::writer out;
  out.value(value);
  auto const bytes = out.take();
  put_all(to, std::span(bytes));
}
/// Of a state whose bytes are as many for all values.
template <class T>
[[nodiscard]] T take_value(saved_reader& from) {
  T value{};
  detail::bytes::writer same_size;
  same_size.value(value);
  detail::bytes::reader in(from.take_bytes(same_size.take().size()));
  in.value(value);
  return value;
}

}  // namespace upsweep::cli
