/// What the executor calls for verbs by key; the library has none compiled.
#pragma once

#include <upsweep/cuda/compiled.hpp>

#include <cstddef>

namespace upsweep::device {

template <class Marks, class Keys, class Call, class Sink>
std::size_t reduce_runs_on(gpu const& on, Marks const& marks, Keys const& keys_to, Call const& c,
                           Sink const& out, std::size_t room);
template <scan_kind kind, class Marks, class Keys, class Call, class Sink>
void scan_runs_on(gpu const& on, Marks const& marks, Keys const& keys, Call const& c,
                  Sink const& out);

}  // namespace upsweep::device
