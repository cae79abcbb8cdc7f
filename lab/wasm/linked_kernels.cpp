/// The textbook's kernels, which are linked into the program.
#include <lab/wasm/linked_kernels.hpp>

#include <io/error.hpp>

#include <string>

namespace upsweep::lab {

compiled_kernel const& compiled_kernel_of(kernel const& k) {
  for (linked_kernel const& l : linked_kernels())
    if (l.stem == k.stem) {
      sim::use_module(*l.module);
      return *l.compiled();
    }
  throw io::unavailable_error(std::string(k.stem) + " is not in this module of the laboratory");
}

}  // namespace upsweep::lab
