/// Words for findings: names of threads, blocks and places, and how a sentence is put together.
#pragma once

#include <upsweep/sim/report.hpp>
#include <upsweep/sim/state.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace upsweep::sim {

[[nodiscard]] source_position readable(position at);
/// "file.hpp:12", the file without its folders.
[[nodiscard]] std::string short_name(position at);
/// "thread 3 of block 1"; in two or three dimensions "thread (3,0) of block (1,2)".
[[nodiscard]] std::string name_of(lane const& l);
[[nodiscard]] std::string name_of(block const& b);
/// A thread by its numbers, whether or not its block is resident.
[[nodiscard]] std::string name_of_thread(simt::launch_shape const& shape, std::uint64_t block,
                                         unsigned thread);
/// A buffer by its name, a shared array by its declaration.
[[nodiscard]] std::string name_of(memory const& m);
/// Where the lane has been last; where it was launched, if it has done nothing yet.
[[nodiscard]] position last_place(simt::launch_shape const& shape, lane const& l);
/// " of 'kernel' after file.hpp:12", its last place.
[[nodiscard]] std::string since_last_place(simt::launch_shape const& shape, lane const& l);

inline void append(std::string& text, std::string_view part) {
  text.append(part);
}
template <std::integral I>
void append(std::string& text, I number) {
  text.append(std::to_string(number));
}

/// The parts, one after the other.
template <class... Parts>
[[nodiscard]] std::string say(Parts const&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

}  // namespace upsweep::sim
