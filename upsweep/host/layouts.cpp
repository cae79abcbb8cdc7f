/// The symbol that says how this library lays out what it and a program pass to each other.
#include <upsweep/host/kernels.hpp>

#include <cstdint>

namespace upsweep::host {

template <std::uint64_t layouts>
char const library_and_program_lay_out_types_alike<layouts>::or_their_compilers_or_flags_differ = 0;
template struct library_and_program_lay_out_types_alike<border_layouts>;

}  // namespace upsweep::host
