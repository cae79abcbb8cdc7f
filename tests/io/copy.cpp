/// Copies one input to one output, for numpy_test.py: copy IN OUT [DTYPE]. DTYPE converts the
/// values when reading.
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/output.hpp>

#include <cstdio>

int main(int count, char** arguments) {
  using namespace upsweep::io;
  if (count < 3) return 2;
  try {
    input_options from{.path = arguments[1]};
    if (count > 3) {
      from.type = find_dtype(arguments[3]);
      if (!from.type) return 2;
    }
    input in(from);
    auto const out = open_output(
        {.path = arguments[2], .force = true, .format = container::npy, .shape = in->shape});
    out->begin(in->columns);
    chunk rows;
    while (in->next(rows)) out->write(rows);
    out->commit();
  } catch (tool_error const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
