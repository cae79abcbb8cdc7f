/// What is said about an operator that the GPU does not have, and the checksum of saved states.
#include <cli/engine/value_stream.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::cli {

std::uint64_t checksum(std::span<std::byte const> bytes) {
  return detail::bytes::writer::checksum(bytes);
}

void refuse_on_gpu(std::string const& name, std::string_view type) {
  std::string list;
  std::string_view before;
  dynamic::for_each_pair<dynamic::target::gpu>([&]<class Op, class T>() {
    auto const op = catalog::name_of(catalog::id_of<Op>);
    auto const element = name_of(dynamic::dtype_of<dynamic::number_of<T>>);
    if (op == before)
      list += fmt::format(", {}", element);
    else
      list += fmt::format("{}{} over {}", list.empty() ? "" : "; ", op, element);
    before = op;
  });
  throw io::usage_error(fmt::format(
      "--on cuda does not support {} over {}; omit --on, or use one of {}", name, type, list));
}

}  // namespace upsweep::cli
