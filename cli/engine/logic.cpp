/// Operators on bits, truth values and divisors: and, or, xor, all, any, parity, gcd.
#include <cli/engine/families.hpp>
#include <cli/engine/typed_folding.hpp>
#include <io/error.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/logical.hpp>

namespace upsweep::cli {

namespace {

std::unique_ptr<folding> bits(operator_use const& use, io::dtype type,
                              folding_settings const& settings) {
  return with_kernel_type(type, [&]<class T>() -> std::unique_ptr<folding> {
    if constexpr (std::is_integral_v<T>) {
      if (use.name == "and") return make_number_folding<T, T>(bit_and{}, use, type, settings, true);
      if (use.name == "or") return make_number_folding<T, T>(bit_or{}, use, type, settings);
      return make_number_folding<T, T>(bit_xor{}, use, type, settings);
    }
    return nullptr;
  });
}

}  // namespace

std::unique_ptr<folding> make_logic(operator_use const& use, io::dtype type,
                                    folding_settings const& settings) {
  if (use.name == "all")
    return make_number_folding<bool, bool>(logical_and{}, use, io::dtype::boolean, settings);
  if (use.name == "any")
    return make_number_folding<bool, bool>(logical_or{}, use, io::dtype::boolean, settings);
  if (use.name == "parity")
    return make_number_folding<bool, bool>(logical_xor{}, use, io::dtype::boolean, settings);
  if (use.name != "and" && use.name != "or" && use.name != "xor" && use.name != "gcd")
    return nullptr;
  if (io::is_float(type))
    throw io::usage_error(
        fmt::format("{}: takes integers, and the values are {}; --dtype says how to read them.",
                    use.name, name_of(type)));
  if (use.name != "gcd") return bits(use, type, settings);
  if (io::is_signed(type))
    return make_number_folding<std::int64_t, std::uint64_t>(gcd{}, use, io::dtype::u64, settings);
  return make_number_folding<std::uint64_t, std::uint64_t>(gcd{}, use, io::dtype::u64, settings);
}

}  // namespace upsweep::cli
