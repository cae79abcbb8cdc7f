/// pad and unpad on a GPU, compiled for words of 1 to 16 bytes: elements of any type are moved as
/// the largest words that fit their rows.
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/pad/pad.hpp>

#include <cstdint>
#include <cstring>

namespace upsweep::device {

namespace {

constexpr unsigned pad_threads = 256;
template <class Word>
constexpr unsigned pad_items = sizeof(Word) == 16 ? 8 : 16;

template <class Word, class Index>
void launch_pad(gpu const& on, row_change const& change) {
  constexpr unsigned items = pad_items<Word>;
  pad_shape const shape{change.rows, change.in_bytes / sizeof(Word),
                        change.out_bytes / sizeof(Word)};
  pad_fill<Word> fill{};
  fill.count = change.element_bytes > sizeof(Word)
                   ? static_cast<unsigned>(change.element_bytes / sizeof(Word))
                   : 1;
  auto* const bytes = reinterpret_cast<unsigned char*>(fill.words);
  if (change.fill != nullptr)
    for (std::size_t i = 0; i < fill.count * sizeof(Word); ++i)
      bytes[i] = static_cast<unsigned char const*>(change.fill)[i % change.element_bytes];
  cuda_device const device = device_of(on);
  std::size_t const tile = pad_threads * items, tiles = divide_up(shape.outputs(), tile);
  constexpr unsigned blocks = 1024 / pad_threads;
  cuda_plan const plan{
      .algorithm = cuda_algorithm::pad_rows,
      .tile = tile,
      .blocks = detail::at_most(tiles, static_cast<std::size_t>(device.multiprocessors) * blocks),
      .threads = pad_threads,
      .launches = 1,
      .workspace_bytes = workspace_words::needed<unsigned>(tiles) * sizeof(word),
      .traffic_bytes = change.rows * (change.out_bytes + sizeof(Word) * shape.kept())};
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  launch<pad_rows<Word, Index, pad_threads, items>>(plan, on, device, static_cast<Word*>(change.x),
                                                    shape, fill, words_of_lease(scratch));
}

/// Rows of 32-bit lengths take half the instructions.
template <class Word>
void pick_pad(gpu const& on, row_change const& change) {
  if ((change.in_bytes | change.out_bytes) / sizeof(Word) < std::size_t{1} << 31)
    launch_pad<Word, unsigned>(on, change);
  else
    launch_pad<Word, std::size_t>(on, change);
}

}  // namespace

void pad_on(gpu const& on, row_change const& change) {
  if (change.rows == 0 || change.out_bytes == 0) return;
  // A row begins with an element, and a word must not end within the fill's last element.
  std::size_t const size = change.element_bytes, fill = size & (size - 1) ? size : 0,
                    common = reinterpret_cast<std::uintptr_t>(change.x) | change.in_bytes |
                             change.out_bytes | fill | 16;
  switch (common & -common) {
    case 16:
      return pick_pad<simt::packed<unsigned, 4>>(on, change);
    case 8:
      return pick_pad<word>(on, change);
    case 4:
      return pick_pad<unsigned>(on, change);
    case 2:
      return pick_pad<unsigned short>(on, change);
    default:
      return pick_pad<unsigned char>(on, change);
  }
}

}  // namespace upsweep::device
