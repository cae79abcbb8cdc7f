/// The emulated machine: runs CUDA kernels on the host, counts their cost and finds their mistakes.
#pragma once

#include <upsweep/sim/operation.hpp>
#include <upsweep/sim/options.hpp>
#include <upsweep/sim/report.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::sim {

class machine_engine;

/// Runs launches in stream order on the calling thread. A model of simt::machine. Not thread-safe.
/// A module of kernels (modules/module.hpp) may use the machine of the program that has loaded it.
class machine {
 public:
  explicit machine(options const& how = {});
  ~machine();
  machine(machine&&) noexcept;
  machine& operator=(machine&&) noexcept;

  /// `count` uninitialized elements: reading one before it is written is a finding. Freed with the
  /// machine. Several buffers may have the same name.
  template <class T>
  [[nodiscard]] T* allocate(std::size_t count, char const* name) {
    return static_cast<T*>(new_buffer(count, layout_of<T>, name));
  }
  template <class T>
  void fill(T* to, std::size_t count, std::type_identity_t<T> value) {
    fill_buffer(to, count, &value, sizeof(T));
  }
  template <class T>
  [[nodiscard]] std::vector<std::remove_const_t<T>> to_host(T* from, std::size_t count) {
    std::vector<std::remove_const_t<T>> values(count);
    copy_from_buffer(values.data(), from, count * sizeof(T));
    return values;
  }
  template <class T>
  void to_device(T* to, std::span<std::type_identity_t<T> const> values) {
    copy_to_buffer(to, values.data(), values.size_bytes());
  }

  /// Runs `kernel(arguments...)` in every thread; the kernel is in a module. Throws kernel_failure
  /// when it cannot be completed, any exception of an operator, and upsweep::precondition_error for
  /// a shape beyond a GPU's limits.
  template <class... Parameters, class... Arguments>
  void launch(simt::launch_shape const& shape, void (*kernel)(Parameters...),
              Arguments&&... arguments) {
#ifdef UPSWEEP_EMULATED
    using call =
        upsweep::emulated::bound_call<void (*)(Parameters...), std::decay_t<Parameters>...>;
    auto const converted = [&](std::decay_t<Parameters>... values) {
      call const made{kernel, decltype(call::arguments)(values...)};
      run(shape, &call::invoke, &made, reinterpret_cast<void const*>(kernel));
    };
    converted(std::forward<Arguments>(arguments)...);
#else
    using call = std::pair<void (*)(Parameters...), std::tuple<std::decay_t<Parameters>...>>;
    call const made{kernel, {std::forward<Arguments>(arguments)...}};
    run(shape, &invoke<call>, &made, reinterpret_cast<void const*>(kernel));
#endif
  }

  [[nodiscard]] report const& result() const;
  /// Clears all launches and findings; the buffers stay.
  void clear_result();

 private:
  friend class runtime;

#ifndef UPSWEEP_EMULATED
  template <class Call>
  static void invoke(void const* made) {
    Call const& call = *static_cast<Call const*>(made);
    std::apply(call.first, call.second);
  }
#endif
  [[nodiscard]] void* new_buffer(std::size_t count, layout element, char const* name);
  void fill_buffer(void* to, std::size_t count, void const* value, std::size_t bytes);
  void copy_to_buffer(void* to, void const* from, std::size_t bytes);
  void copy_from_buffer(void* to, void const* from, std::size_t bytes) const;
  void run(simt::launch_shape const& shape, void (*entry)(void const*), void const* call,
           void const* kernel);

  std::unique_ptr<machine_engine> engine_;
};

/// The kernel thread that this host thread is running, and its last known source position.
struct kernel_position {
  std::string thread;  ///< "thread 3 of block 0 of 'kernel'"
  source_position last;
};

/// For handlers of signals and other failures outside the emulator. Empty while no kernel runs on
/// this host thread.
[[nodiscard]] std::optional<kernel_position> current_kernel_position();

}  // namespace upsweep::sim
