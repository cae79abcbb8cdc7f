/// pad and unpad by name: elements are only moved, so they are instantiated by size.
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/padding.hpp>
#include <upsweep/padding.hpp>

namespace upsweep::dynamic {

void pad(cpu const& on, dtype t, void* x, padded_rows const& shape, void const* fill) {
  with_word_of(size_of(t), [&]<class U>() {
    auto const elements = elements_at<U>(x, shape.rows * shape.padded);
    U const value = fill ? *static_cast<U const*>(fill) : U{};
    upsweep::pad(on, elements, shape.rows, shape.columns, shape.padded, value);
  });
}

void unpad(cpu const& on, dtype t, void* x, padded_rows const& shape) {
  with_word_of(size_of(t), [&]<class U>() {
    auto const elements = elements_at<U>(x, shape.rows * shape.padded);
    upsweep::unpad(on, elements, shape.rows, shape.columns, shape.padded);
  });
}

}  // namespace upsweep::dynamic
