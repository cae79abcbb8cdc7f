/// The functions of fmt's shared library, for a program that must not link to it: Debian has no
/// static one. CMakeLists.txt compiles this file where UPSWEEP_STATIC_FMT is set.
#include <fmt/format-inl.h>

template char fmt::detail::decimal_point_impl(locale_ref);
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl(locale_ref);
template fmt::detail::dragonbox::decimal_fp<float> fmt::detail::dragonbox::to_decimal(
    float) noexcept;
template fmt::detail::dragonbox::decimal_fp<double> fmt::detail::dragonbox::to_decimal(
    double) noexcept;
