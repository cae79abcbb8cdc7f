/// Compiles one algorithm of the textbook for the laboratory: its plan for every block size and
/// element type. Included only by generated files, one per algorithm, which are compiled into
/// modules of the emulator.
#pragma once

#include <lab/kernel_table.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/textbook/skeleton.hpp>

#include <cstdint>
#include <type_traits>

namespace upsweep::lab {

/// The smallest block of an algorithm: a warp, unless its plan declares `least_threads`.
template <class Forms>
inline constexpr int least_threads = [] {
  using plan = typename Forms::template plan<32, false>;
  if constexpr (requires { plan::least_threads; })
    return int{plan::least_threads};
  else
    return 32;
}();

template <class Plan, class T>
fit run_plan(sim::machine& machine, kernel_arguments<T> const& j) {
  if constexpr (!textbook::plan_supports<Plan, T, sim::operation<T>>) {
    return fit::not_this_element;
  } else {
    if (j.ask_only) return fit::taken;
    if constexpr (requires { Plan::run(machine, j.in, j.out, j.n, j.op, j.instruction); })
      Plan::run(machine, j.in, j.out, j.n, j.op, j.instruction);
    else
      Plan::run(machine, j.in, j.out, j.n, j.op);
    return fit::taken;
  }
}

template <class Forms, int threads, class T>
fit run_form(sim::machine& machine, kernel_arguments<T> const& j) {
  // Blocks smaller than a warp are for pictures, which show integers.
  if constexpr (threads < 32 && (threads < least_threads<Forms> || !std::is_integral_v<T>)) {
    return fit::not_this_block;
  } else if constexpr (Forms::both) {
    if (j.exclusive) return run_plan<typename Forms::template plan<threads, true>>(machine, j);
    return run_plan<typename Forms::template plan<threads, false>>(machine, j);
  } else {
    return run_plan<typename Forms::template plan<threads, false>>(machine, j);
  }
}

template <class Forms, class T>
fit run_kernel(sim::machine& machine, kernel_arguments<T> const& j) {
  switch (j.threads) {
    case 8:
      return run_form<Forms, 8>(machine, j);
    case 16:
      return run_form<Forms, 16>(machine, j);
    case 32:
      return run_form<Forms, 32>(machine, j);
    case 64:
      return run_form<Forms, 64>(machine, j);
    case 128:
      return run_form<Forms, 128>(machine, j);
    case 256:
      return run_form<Forms, 256>(machine, j);
    case 512:
      return run_form<Forms, 512>(machine, j);
    case 1024:
      return run_form<Forms, 1024>(machine, j);
    default:
      return fit::not_this_block;
  }
}

#ifdef UPSWEEP_LAB_FEW_TYPES  // of a page: lab/wasm
template <class T>
fit not_compiled(sim::machine&, kernel_arguments<T> const&) {
  return fit::not_this_element;
}
template <class Forms>
inline constexpr compiled_kernel compiled{run_kernel<Forms, std::int32_t>,
                                          not_compiled<std::int64_t>, run_kernel<Forms, float>,
                                          not_compiled<double>, run_kernel<Forms, map_element>};
#else
template <class Forms>
inline constexpr compiled_kernel compiled{
    run_kernel<Forms, std::int32_t>, run_kernel<Forms, std::int64_t>, run_kernel<Forms, float>,
    run_kernel<Forms, double>, run_kernel<Forms, map_element>};
#endif

}  // namespace upsweep::lab
