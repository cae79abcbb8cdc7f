/// Filters a recording, a 16-bit WAV file: how loud the sound of a plucked string is below and
/// above a frequency, and without its loudest partial tone.
#include <upsweep/apps/biquad.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace {

struct recording {
  unsigned rate = 0;                  // samples a second
  std::vector<std::int16_t> samples;  // of the first channel
};

/// Little-endian numbers of a file.
unsigned number_at(std::string const& bytes, std::size_t at, std::size_t size) {
  unsigned value = 0;
  for (std::size_t k = size; k-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + k));
  return value;
}

/// A RIFF file is a list of chunks: a name of 4 bytes, a size of 4, the content.
recording read_wav(char const* path) {
  std::ifstream file(path, std::ios::binary);
  std::string const bytes{std::istreambuf_iterator<char>(file), {}};
  recording sound;
  std::size_t channels = 1;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    std::string const name = bytes.substr(at, 4);
    std::size_t const size = number_at(bytes, at + 4, 4), content = at + 8;
    if (name == "fmt ") {
      channels = number_at(bytes, content + 2, 2);
      sound.rate = number_at(bytes, content + 4, 4);
    } else if (name == "data") {
      for (std::size_t i = content; i + 2 * channels <= content + size; i += 2 * channels)
        sound.samples.push_back(static_cast<std::int16_t>(number_at(bytes, i, 2)));
    }
    at = content + size + size % 2;
  }
  return sound;
}

/// The root mean square, in decibels below the loudest that 16 bits can say.
template <class T>
double level(std::vector<T> const& x) {
  double const sum = upsweep::transform_reduce(
      x, [](T v) { return static_cast<double>(v) * static_cast<double>(v); });
  return 10 * std::log10(sum / static_cast<double>(x.size())) - 20 * std::log10(32768.0);
}

}  // namespace

int main(int count, char** arguments) {
  recording const sound = read_wav(count > 1 ? arguments[1] : "data/pluck.wav");
  if (sound.samples.empty()) {
    std::fprintf(stderr, "give a WAV file of 16-bit samples, such as data/pluck.wav\n");
    return 3;
  }
  double const rate = sound.rate;
  std::printf("%zu samples at %.0f Hz: %.1f dB\n", sound.samples.size(), rate,
              level(sound.samples));
  using namespace upsweep::apps;
  std::vector<biquad> const fourth_order{low_pass(500 / rate, 0.541196),
                                         low_pass(500 / rate, 1.306563)};
  std::vector<double> y(sound.samples.size());
  auto const print = [&](char const* what, auto const& filters) {
    filter(filters, sound.samples, y);
    std::printf("%s %.1f dB\n", what, level(y));
  };
  print("below 500 Hz, order 4:", std::span(fourth_order));
  print("above 500 Hz:", high_pass(500 / rate));
  print("around 1000 Hz:", band_pass(1000 / rate, 4));
  print("without 783 Hz:", notch(783 / rate, 2));
}
