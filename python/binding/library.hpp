/// What of the library the module calls: the verbs by name. No other file here includes them.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/core/version.hpp>
#include <upsweep/dynamic/dtype.hpp>
#include <upsweep/dynamic/run.hpp>
#include <upsweep/dynamic/verbs/histograms.hpp>
#include <upsweep/dynamic/verbs/recurrences.hpp>
#include <upsweep/dynamic/verbs/segments.hpp>
#include <upsweep/dynamic/verbs/selections.hpp>
#include <upsweep/dynamic/verbs/sorts.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/threads.hpp>
