/// What of the library the module calls: the verbs by name. No other file here includes them.
#pragma once

#include <upsweep/by_name/run.hpp>
#include <upsweep/by_name/verbs/filters.hpp>
#include <upsweep/by_name/verbs/grouping.hpp>
#include <upsweep/by_name/verbs/groups.hpp>
#include <upsweep/by_name/verbs/histograms.hpp>
#include <upsweep/by_name/verbs/lines.hpp>
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/by_name/verbs/statistics.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/version.hpp>
#include <upsweep/host/row_sums.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/names/dtype.hpp>
