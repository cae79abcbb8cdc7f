/// What a module of the laboratory answers.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace upsweep::lab {

/// Each module has its own. May throw; the sentence becomes {"error": sentence}.
[[nodiscard]] nlohmann::ordered_json answer_to(nlohmann::ordered_json const& wanted);

}  // namespace upsweep::lab
