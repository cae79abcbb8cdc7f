/// What the programs include, precompiled, because parsing it takes most of the time of a test.
/// First what users include: an error message names the headers on the way to the failing one.
#include <upsweep/upsweep.hpp>

#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/windowed.hpp>
