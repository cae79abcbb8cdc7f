/// Everything for the CPU, except what includes <algorithm>: check_monoid (ops/laws.hpp),
/// sorting (sort.hpp, order_statistics.hpp) and histograms (histogram.hpp). Verbs, operators,
/// executors. One include, no dependency beyond the standard library.
#pragma once

#include <upsweep/axis.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/call/heavy_verbs.hpp>
#include <upsweep/core/version.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/distribution.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/catalog.hpp>
#include <upsweep/ops/tuple.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>
#include <upsweep/windowed.hpp>
