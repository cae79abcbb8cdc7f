/// Parts of messages: names of threads, blocks, memory and positions.
#pragma once

#include <upsweep/sim/report.hpp>
#include <upsweep/sim/state.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::sim {

/// "file.hpp:12", without folders.
[[nodiscard]] std::string short_name(position at);
/// "thread 3 of block 1"; in two or three dimensions "thread (3,0) of block (1,2)".
[[nodiscard]] std::string name_of(lane const& l);
[[nodiscard]] std::string name_of(block const& b);
/// The name of a thread whose block need not be resident.
[[nodiscard]] std::string name_of_thread(simt::launch_shape const& shape, std::uint64_t block,
                                         unsigned thread);
/// A buffer by its name, a shared array by its declaration.
[[nodiscard]] std::string name_of(memory const& m);
/// The lane's last known position; the position of the launch if it has done nothing yet.
[[nodiscard]] position last_place(simt::launch_shape const& shape, lane const& l);
/// " of 'kernel' after file.hpp:12", its last known position.
[[nodiscard]] std::string since_last_place(simt::launch_shape const& shape, lane const& l);
/// That it has overflowed its stack.
[[nodiscard]] std::string needs_more_stack(simt::launch_shape const& shape, lane const& l);

inline void append(std::string& text, std::string_view part) {
  text.append(part);
}
template <std::integral I>
void append(std::string& text, I number) {
  text.append(std::to_string(number));
}

/// Concatenates its arguments.
template <class... Parts>
[[nodiscard]] std::string say(Parts const&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

}  // namespace upsweep::sim
