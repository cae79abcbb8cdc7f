/// What a module of the laboratory answers, and what its modules share.
#pragma once

#include <upsweep/sim/options.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace upsweep::lab {

/// Each module has its own. May throw; the sentence becomes {"error": sentence}.
[[nodiscard]] nlohmann::ordered_json answer_to(nlohmann::ordered_json const& wanted);

/// In order, if there is none of this name.
[[nodiscard]] sim::schedule schedule_named(std::string const& name);

}  // namespace upsweep::lab
