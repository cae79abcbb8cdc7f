/// Functions of lines, a part at a time: its elements and what is made of them stay in L1.
#include <upsweep/host/line_functions.hpp>

#include <upsweep/core/line_formulas.hpp>
#include <upsweep/core/log_of_sum.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/reduce.hpp>

#include <algorithm>
#include <span>
#include <type_traits>

namespace upsweep::host {
namespace {

using namespace detail::line_formulas;

constexpr std::size_t part = 1024;  // elements; a block of the tree

#ifdef UPSWEEP_HAS_FLOAT16
constexpr auto first_type = simd::lane_type::f16;
#else
constexpr auto first_type = simd::lane_type::bf16;
#endif

/// Elements of any real type in memory, read and written as numbers of type A.
template <class A, class Memory>
struct elements {
  Memory* first;
  simd::lane_type type;

  /// Numbers themselves, or null if the elements are of another type.
  [[nodiscard]] auto* numbers() const {
    using element = std::conditional_t<std::is_const_v<Memory>, A const, A>;
    bool const are_numbers = type == (sizeof(A) == 4 ? simd::lane_type::f32 : simd::lane_type::f64);
    return are_numbers ? static_cast<element*>(first) : nullptr;
  }
  /// Elements from `at` on: their own memory or, after a conversion, `room`.
  [[nodiscard]] A const* read(std::size_t at, std::size_t n, A* room) const {
    if (auto const* const x = numbers()) return x + at;
    with_type([&]<class E>(E const* x) { convert(room, x + at, n); });
    return room;
  }
  void write(std::size_t at, std::size_t n, A const* from) const {
    with_type([&]<class E>(E* to) { convert(to + at, from, n); });
  }
  /// Those from `at` on.
  [[nodiscard]] elements after(std::size_t at) const {
    elements beyond = *this;
    if (first) with_type([&]<class E>(E* x) { beyond.first = x + at; });
    return beyond;
  }

 private:
  /// Calls f with the memory of the elements, of all types that are combined in A.
  template <class F>
  void with_type(F const& f) const {
    using enum simd::lane_type;
    auto const as = [&]<class E>(E) {
      f(static_cast<std::conditional_t<std::is_const_v<Memory>, E const, E>*>(first));
    };
    if (type == f32) return as(0.0F);
    if constexpr (sizeof(A) == 8) {
      as(0.0);
    } else {
#ifdef UPSWEEP_HAS_FLOAT16
      if (type == f16) return as(float16{});
#endif
      as(bfloat16{});
    }
  }
};

/// out[i] = of(i) for i < n.
template <class A, class Of>
void store_each(A* out, std::size_t n, Of const& of) {
  in_widest_registers<registers::avx2>([=]() UPSWEEP_INLINED {
    for (std::size_t i = 0; i < n; ++i) out[i] = of(i);
  });
}
template <class Op, class A>
A total_of(Op const& op, A const* x, std::size_t n) {
  return upsweep::reduce(cpu{.threads = 1}, std::span(x, n), op);
}

template <class F, class A>
class one_line {
  static constexpr bool keeps = F::has_exponential && F::has_terms;

 public:
  one_line(line_functions const& c, std::size_t line)
      : size_(c.size),
        x_(elements<A, void const>{c.x, c.type}.after(line * c.size)),
        gradient_(
            elements<A, void const>{c.gradient, c.type}.after(F::of_lines ? line : line * c.size)),
        weight_{c.weight, c.type},
        out_(elements<A, void>{c.out, c.type}.after(line * c.size)),
        left_(static_cast<A*>(c.numbers) + line),
        count_(c.count),
        given_{static_cast<A>(c.size), static_cast<A>(c.parameter)} {
    if constexpr (F::is_gradient) numbers_ = {left_[0], left_[count_], A{}};
  }

  void run(cpu const& on) {
    auto const elements = [&](std::size_t at, std::size_t n, A* room) {
      return x_.read(at, n, room);
    };
    if constexpr (F::first == first_reduction::max)
      numbers_.shift = total(on, max{}, elements);
    else if constexpr (F::first == first_reduction::sum)
      numbers_.shift = total(on, plus{}, elements) / given_.size;
    if constexpr (keeps) take_memory();
    if constexpr (F::has_terms) {
      auto const terms = [&](std::size_t at, std::size_t n, A* room) {
        store_terms(at, n, room);
        return room;
      };
      F::finish(total(on, plus{}, terms), numbers_, given_);
    }
    if constexpr (F::has_results)
      on.for_each_part((size_ + part - 1) / part, part, [&](std::size_t p) {
        store_results(p * part, std::min(size_ - p * part, part));
      });
    if constexpr (!F::is_gradient) left_[0] = numbers_.shift, left_[count_] = numbers_.scale;
  }

 private:
  /// What is kept of elements is where their results will be, if they have one type.
  void take_memory() {
    kept_ = out_.numbers();
    if (kept_) return;
    memory_ = detail::memory_for<A>(size_);
    kept_ = memory_.get();
  }

  /// The total of the terms that fill(at, n, room) returns, of each part.
  template <class Op, class Fill>
  A total(cpu const& on, Op const& op, Fill const& fill) const {
    std::size_t const whole = size_ / part, rest = size_ % part;
    auto const totals = detail::memory_for<A>(whole);
    on.for_each_part(whole, part, [&](std::size_t p) {
      A room[part];
      totals[p] = total_of(op, fill(p * part, part, room), part);
    });
    A room[part];
    A const* block = rest > 0 ? fill(whole * part, rest, room) : room;
    if (whole == 0) return total_of(op, block, rest);
    A all = total_of(op, totals.get(), whole);
    // The blocks of the rest, the largest first.
    for (std::size_t n = part / 2; n > 0; n /= 2)
      if ((rest & n) != 0) {
        all = op(all, total_of(op, block, n));
        block += n;
      }
    return all;
  }

  /// What is kept of n elements, in `room` unless it is elsewhere.
  A const* kept(std::size_t at, std::size_t n, A* room) const {
    A const* const x = x_.read(at, n, room);
    if constexpr (!F::has_exponential) {
      return x;
    } else {
      store_each(room, n, [x, numbers = numbers_](std::size_t i) UPSWEEP_INLINED {
        return F::exponent(x[i], numbers);
      });
      simd::map_elements(simd::element_function::exp, room, room, n);
      return room;
    }
  }
  void store_terms(std::size_t at, std::size_t n, A* to) const {
    A room[part], of_gradients[part];
    A const* const k = kept(at, n, keeps ? kept_ + at : room);
    with_gradients(at, n, of_gradients, [&](auto const& g) {
      store_each(to, n, [=, numbers = numbers_, given = given_](std::size_t i) UPSWEEP_INLINED {
        return F::term(k[i], g(i), numbers, given);
      });
    });
  }
  void store_results(std::size_t at, std::size_t n) const {
    A room[part], of_gradients[part], weights[part], made[part];
    A const* const k = keeps ? kept_ + at : kept(at, n, room);
    A const* w = nullptr;
    if constexpr (F::is_weighted && !F::is_gradient)
      if (weight_.first) w = weight_.read(at, n, weights);
    A* const own = out_.numbers();
    A* const to = own ? own + at : made;
    with_gradients(at, n, of_gradients, [&](auto const& g) {
      auto const result = [=, numbers = numbers_, given = given_](std::size_t i)
                              UPSWEEP_INLINED { return F::result(k[i], g(i), numbers, given); };
      if (w)
        store_each(to, n,
                   [=](std::size_t i) UPSWEEP_INLINED { return detail::product(result(i), w[i]); });
      else
        store_each(to, n, result);
    });
    if (!own) out_.write(at, n, to);
  }
  /// Calls use(g), where g(i) is the gradient of element at + i, times its weight.
  template <class Use>
  void with_gradients(std::size_t at, std::size_t n, A* room, Use const& use) const {
    if constexpr (!F::is_gradient) {
      use([](std::size_t) UPSWEEP_INLINED { return A{}; });
    } else if constexpr (F::of_lines) {
      use([g = *gradient_.read(0, 1, room)](std::size_t) UPSWEEP_INLINED { return g; });
    } else {
      A const* g = gradient_.read(at, n, room);
      if (F::is_weighted && weight_.first) {
        A of_weights[part];
        A const* const w = weight_.read(at, n, of_weights);
        store_each(room, n,
                   [=](std::size_t i) UPSWEEP_INLINED { return detail::product(g[i], w[i]); });
        g = room;
      }
      use([g](std::size_t i) UPSWEEP_INLINED { return g[i]; });
    }
  }

  std::size_t size_;
  elements<A, void const> x_, gradient_, weight_;
  elements<A, void> out_;
  A* left_;  // the line's first number for the gradients; the second is `count` after it
  std::size_t count_;
  line_given<A> given_;
  line_numbers<A> numbers_{};
  detail::scratch<A> memory_;
  A* kept_ = nullptr;
};

/// Stores n elements of a line from `at` on, minus its logarithm.
template <class A>
void store_differences(line_logarithms const& c, std::size_t line, A const* numbers, A logarithm,
                       std::size_t at, std::size_t n) {
  auto const out = elements<A, void>{c.out, c.type}.after(line * c.size);
  A made[part];
  A* const to = out.numbers() ? out.numbers() + at : made;
  store_each(to, n, [=](std::size_t i) UPSWEEP_INLINED { return numbers[at + i] - logarithm; });
  if (to == made) out.write(at, n, made);
}

template <class A>
void run_logarithm(cpu const& on, line_logarithms const& c, std::size_t line) {
  auto const x = elements<A, void const>{c.x, c.type}.after(line * c.size);
  auto const for_each_part = [&](auto const& f) {
    on.for_each_part((c.size + part - 1) / part, part,
                     [&](std::size_t p) { f(p * part, std::min(c.size - p * part, part)); });
  };
  A const* numbers = x.numbers();
  detail::scratch<A> memory;
  if (!numbers) {
    memory = detail::memory_for<A>(c.size);
    numbers = memory.get();
    for_each_part([&](std::size_t at, std::size_t n) {
      static_cast<void>(x.read(at, n, memory.get() + at));
    });
  }
  std::span const all(numbers, c.size);
  A const logarithm = detail::log_of_sum(all, upsweep::reduce(on, all, log_sum_exp{}));
  static_cast<A*>(c.logarithms)[line] = logarithm;
  if (!c.out) return;
  for_each_part([&](std::size_t at, std::size_t n) {
    store_differences(c, line, numbers, logarithm, at, n);
  });
}

/// Lines of at most so many elements are computed side by side, if there are at least so many.
constexpr std::size_t short_line = 64, enough_lines = 8;

/// Of `count` short lines from line `first` on.
template <class A>
void run_short_logarithms(line_logarithms const& c, std::size_t first, std::size_t count) {
  A room[short_line * simd::most_lanes];
  auto const x = elements<A, void const>{c.x, c.type}.after(first * c.size);
  A const* const numbers = x.read(0, count * c.size, room);
  A* const logarithms = static_cast<A*>(c.logarithms) + first;
  auto* const memory = const_cast<std::byte*>(reinterpret_cast<std::byte const*>(numbers));
  simd::log_sums(c.size, count,
                 {memory, sizeof(A), static_cast<std::ptrdiff_t>(c.size * sizeof(A))}, logarithms);
  for (std::size_t k = 0; k < count; ++k) {
    A const* const line = numbers + k * c.size;
    logarithms[k] = detail::log_of_sum(std::span(line, c.size), logarithms[k]);
    if (c.out) store_differences(c, first + k, line, logarithms[k], 0, c.size);
  }
}

/// Calls f.operator()<A>(line, executor) for each line, where A is the type of numbers; `OfFloat`
/// is that of elements of type float.
template <class OfFloat, class Call, class F>
void for_each_line(cpu const& on, Call const& c, F const& f) {
  using enum simd::lane_type;
  detail::expects(c.type >= first_type && c.type <= f64, "functions of lines take real elements");
  bool const wide = c.type == f64 || (c.type == f32 && sizeof(OfFloat) == 8);
  on.for_each_line(c.count, c.size, [&](std::size_t line, cpu const& here) {
    wide ? f.template operator()<double>(line, here) : f.template operator()<float>(line, here);
  });
}
template <class F, class OfFloat>
void run_lines(cpu const& on, line_functions const& c) {
  for_each_line<OfFloat>(on, c, [&]<class A>(std::size_t line, cpu const& here) {
    one_line<F, A>(c, line).run(here);
  });
}

}  // namespace

void run(cpu const& on, line_functions const& call) {
  using enum line_function_name;
  namespace of = detail::line_formulas;
  if (call.size == 0) return;
  switch (call.name) {
    case softmax:
      return run_lines<of::softmax_of, float>(on, call);
    case softmax_gradient:
      return run_lines<of::softmax_gradient, float>(on, call);
    case rms_norm:
      return run_lines<of::rms_norm_of, double>(on, call);
    case rms_norm_gradient:
      return run_lines<of::rms_norm_gradient, double>(on, call);
    case variance:
      return run_lines<of::variance_of, double>(on, call);
    case variance_gradient:
      return run_lines<of::variance_gradient, double>(on, call);
    case logsumexp_gradient:
      return run_lines<of::logsumexp_gradient, float>(on, call);
    case log_softmax_gradient:
      return run_lines<of::log_softmax_gradient, float>(on, call);
  }
}

void run(cpu const& on, line_logarithms const& call) {
  if (call.size > 0 && call.size <= short_line && call.count >= enough_lines) {
    constexpr std::size_t most = simd::most_lanes;
    return on.for_each_part((call.count + most - 1) / most, most * call.size, [&](std::size_t k) {
      std::size_t const first = k * most, count = std::min(call.count - first, most);
      call.type == simd::lane_type::f64 ? run_short_logarithms<double>(call, first, count)
                                        : run_short_logarithms<float>(call, first, count);
    });
  }
  for_each_line<float>(on, call, [&]<class A>(std::size_t line, cpu const& here) {
    run_logarithm<A>(here, call, line);
  });
}

}  // namespace upsweep::host
