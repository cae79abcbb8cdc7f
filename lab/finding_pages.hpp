/// What each kind of finding means: the pages of docs/findings.
#pragma once

#include <upsweep/sim/report.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab {

/// The stem of the kind's page, "race_in_a_block", which `upsweep explain` takes.
[[nodiscard]] std::string page_of(sim::finding_kind kind);
[[nodiscard]] std::vector<std::string> pages_of_findings();
/// The text of a page; empty if there is none. Blanks and hyphens are taken for underscores.
[[nodiscard]] std::string text_of_page(std::string_view stem);

}  // namespace upsweep::lab
