/// Launches of the scans of the CUDA backend on the emulator, in small tiles.
#pragma once

#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/scan/scan_tiles.hpp>
#include <upsweep/cuda/scan/scan_wave.hpp>

#include <cstddef>

namespace upsweep::test {

template <scan_kind kind, class Shape>
struct by_tiles {
  unsigned blocks = 3;
  template <class Source, class Sink, class A>
  void operator()(sim::machine& m, Source const& in, Sink const& out, std::size_t n,
                  scan_start<A> const& start, workspace_words w) const {
    m.launch({.name = "scan_tiles", .blocks = {blocks}, .threads = {Shape::threads}},
             scan_tiles<kind, Shape, Source, Sink>, in, out, n, start, w);
  }
};
template <scan_kind kind, class Shape, bool tickets>
struct by_wave_of_blocks {
  template <class Source, class Sink, class A>
  void operator()(sim::machine& m, Source const& in, Sink const& out, std::size_t n,
                  scan_start<A> const& start, workspace_words w) const {
    auto const blocks = (n + Shape::size - 1) / Shape::size;
    m.launch({.name = "scan_wave", .blocks = {blocks}, .threads = {Shape::threads}},
             scan_wave<kind, tickets, Shape, Source, Sink>, in, out, start, w);
  }
};
template <scan_kind kind, class Shape>
using by_wave = by_wave_of_blocks<kind, Shape, true>;

}  // namespace upsweep::test
