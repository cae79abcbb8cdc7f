/// The entry of the module.
#include <io/arrow/module.hpp>

extern "C" __attribute__((visibility("default"))) upsweep::io::arrow_module const*
upsweep_arrow_module() {
  static constexpr upsweep::io::arrow_module module{&upsweep::io::read_by_arrow,
                                                    &upsweep::io::write_by_arrow};
  return &module;
}
