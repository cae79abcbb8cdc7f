/// Names and file name extensions of the formats.
#include <io/container.hpp>

#include <io/dtype.hpp>

namespace upsweep::io {

std::string_view name_of(container format) noexcept {
  constexpr std::string_view names[] = {"auto",    "text",  "csv",   "tsv",      "raw",
                                        "npy",     "jsonl", "json",  "markdown", "aligned",
                                        "parquet", "arrow", "arrows"};
  return names[static_cast<int>(format)];
}

std::optional<container> find_container(std::string_view name) noexcept {
  for (auto format :
       {container::automatic, container::text, container::csv, container::tsv, container::raw,
        container::npy, container::jsonl, container::json, container::markdown, container::aligned,
        container::parquet, container::arrow, container::arrows})
    if (name == name_of(format)) return format;
  if (name == "txt") return container::text;
  if (name == "ndjson") return container::jsonl;
  if (name == "feather") return container::arrow;
  if (name == "md") return container::markdown;
  if (name == "bin" || name == "binary") return container::raw;
  return std::nullopt;
}

std::string_view extension_of(std::string_view path) noexcept {
  auto const slash = path.rfind('/');
  auto const file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  auto const dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : file.substr(dot + 1);
}

container container_of_path(std::string_view path) noexcept {
  auto const extension = extension_of(path);
  if (extension == "txt" || extension == "text" || extension == "dat") return container::text;
  if (extension == "csv") return container::csv;
  if (extension == "tsv" || extension == "tab") return container::tsv;
  if (extension == "npy") return container::npy;
  if (extension == "jsonl" || extension == "ndjson") return container::jsonl;
  if (extension == "json") return container::json;
  if (extension == "md") return container::markdown;
  if (extension == "parquet" || extension == "pq") return container::parquet;
  if (extension == "arrow" || extension == "feather" || extension == "ipc") return container::arrow;
  if (extension == "arrows") return container::arrows;
  if (extension == "bin" || extension == "raw" || find_dtype(extension)) return container::raw;
  return container::automatic;
}

std::optional<byte_order> find_byte_order(std::string_view name) noexcept {
  if (name == "little" || name == "le" || name == "<") return byte_order::little;
  if (name == "big" || name == "be" || name == ">") return byte_order::big;
  if (name == "native" || name == "=") return native_order;
  return std::nullopt;
}

}  // namespace upsweep::io
