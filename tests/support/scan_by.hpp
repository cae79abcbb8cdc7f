/// The two scans by their kind, for tests of both.
#pragma once

#include <upsweep/upsweep.hpp>  // for scans along an axis, too

namespace upsweep::test {

template <scan_kind kind, class On, class In, class Out, class Op, class Options>
void scan_by(On const& on, In const& in, Out&& out, Op const& op, Options const& o) {
  if constexpr (kind == scan_kind::inclusive)
    upsweep::inclusive_scan(on, in, out, op, o);
  else
    upsweep::exclusive_scan(on, in, out, op, o);
}

}  // namespace upsweep::test
