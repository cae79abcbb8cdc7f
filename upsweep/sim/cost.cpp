/// Bank conflicts of shared memory; sectors and lines of global memory.
#include <upsweep/sim/cost.hpp>

#include <algorithm>

namespace upsweep::sim {

namespace {

/// Wavefronts for lanes [begin, end) of the request: the largest number of distinct words that fall
/// into one bank.
unsigned passes(warp_request const& r, unsigned begin, unsigned end) {
  unsigned const words = (r.bytes + 3) / 4;
  std::uint64_t held[32];  // the first word of each bank
  std::uint32_t taken = 0;
  bool conflict = false;
  for (unsigned i = begin; i < end; ++i)
    for (unsigned j = 0; j < words; ++j) {
      std::uint64_t const word = r.first[i] / 4 + j;
      auto const bank = static_cast<unsigned>(word % 32);
      if ((taken >> bank & 1) == 0) {
        taken |= 1u << bank;
        held[bank] = word;
      } else {
        conflict |= held[bank] != word;
      }
    }
  if (!conflict) return 1;
  std::uint64_t all[64];
  unsigned count = 0;
  for (unsigned i = begin; i < end; ++i)
    for (unsigned j = 0; j < words; ++j) all[count++] = r.first[i] / 4 + j;
  std::sort(all, all + count);
  count = static_cast<unsigned>(std::unique(all, all + count) - all);
  unsigned in_bank[32] = {};
  for (unsigned i = 0; i < count; ++i) ++in_bank[all[i] % 32];
  return *std::max_element(in_bank, in_bank + 32);
}

}  // namespace

shared_cost shared_request(warp_request const& r) {
  unsigned const group = r.bytes <= 4 ? 32 : r.bytes == 8 ? 16 : 8;
  shared_cost cost{0, 0};
  for (unsigned begin = 0; begin < r.count;) {
    unsigned end = begin + 1;
    while (end < r.count && r.lane[end] / group == r.lane[begin] / group) ++end;
    unsigned const needed = passes(r, begin, end);
    cost.wavefronts += needed;
    cost.conflicts += needed - 1;
    begin = end;
  }
  return cost;
}

unsigned units_touched(warp_request const& r, unsigned shift) {
  // Pieces are aligned and no larger than a unit, so each lies in one.
  unsigned count = 1;
  bool ascending = true;
  for (unsigned i = 1; i < r.count; ++i) {
    std::uint64_t const unit = r.first[i] >> shift, before = r.first[i - 1] >> shift;
    count += unit != before;
    ascending &= unit >= before;
  }
  if (ascending || count == 1) return count;
  std::uint64_t units[32];
  for (unsigned i = 0; i < r.count; ++i) units[i] = r.first[i] >> shift;
  std::sort(units, units + r.count);
  return static_cast<unsigned>(std::unique(units, units + r.count) - units);
}

}  // namespace upsweep::sim
