/// What the programs include, precompiled, because parsing it takes most of the time of a test.
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/windowed.hpp>
