/// The greatest common divisor.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/gcd.hpp>

#include <cstdint>
#include <memory>

namespace upsweep::cli {

template <>
std::unique_ptr<folding> make_operator<gcd>(operator_use const& use, io::dtype type,
                                            folding_settings const& settings) {
  expect_integers(use, type);
  io::dtype const gives = io::dtype::u64;
  if (io::is_signed(type))
    return make_number_folding<std::int64_t, std::uint64_t>(gcd{}, use, gives, settings);
  return make_number_folding<std::uint64_t, std::uint64_t>(gcd{}, use, gives, settings);
}

}  // namespace upsweep::cli
