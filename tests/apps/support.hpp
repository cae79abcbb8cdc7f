/// What the tests of applications share: executors, lengths, random text.
#pragma once

#include <support/message.hpp>
#include <support/random.hpp>

#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::test {

/// Calls f(executor) for those of the CPU: one thread, and more.
template <class F>
void on_each_executor(F const& f) {
  {
    SCOPED_TRACE("serial");
    f(serial{});
  }
  for (int const threads : {1, 3}) {
    SCOPED_TRACE("cpu, " + std::to_string(threads) + " threads");
    f(cpu{.threads = threads});
  }
}

/// Lengths around the borders of words, blocks and tiles, the last ones long enough for threads.
inline constexpr std::size_t some_lengths[] = {0,    1,    2,    3,    7,     31,    63,     64,
                                               65,   127,  128,  129,  1000,  1023,  1024,   1025,
                                               4095, 4096, 4097, 8193, 16384, 16385, 100'003};

/// `size` characters of `alphabet`, in which a character that is there twice is twice as frequent.
inline std::string random_text(std::size_t size, std::string_view alphabet, std::uint64_t seed) {
  random_bits next(test_seed() + seed);
  std::string text;
  while (text.size() < size) text += alphabet[next.below(alphabet.size())];
  return text;
}

}  // namespace upsweep::test
