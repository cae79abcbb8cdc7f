/// The families of operators, one source file each so that they compile in parallel. Each returns
/// null for a name that is not its own.
#pragma once

#include <cli/engine/folding.hpp>

namespace upsweep::cli {

std::unique_ptr<folding> make_sum(operator_use const& use, io::dtype type,
                                  folding_settings const& settings);
std::unique_ptr<folding> make_checked(operator_use const& use, io::dtype type,
                                      folding_settings const& settings);
std::unique_ptr<folding> make_selection(operator_use const& use, io::dtype type,
                                        folding_settings const& settings);
std::unique_ptr<folding> make_position(operator_use const& use, io::dtype type,
                                       folding_settings const& settings);
std::unique_ptr<folding> make_logic(operator_use const& use, io::dtype type,
                                    folding_settings const& settings);
std::unique_ptr<folding> make_precise(operator_use const& use, io::dtype type,
                                      folding_settings const& settings);
std::unique_ptr<folding> make_recurrence(operator_use const& use, io::dtype type,
                                         folding_settings const& settings);

}  // namespace upsweep::cli
