// Inf and NaN that a program reads rather than makes: in the samples that it draws, and in values that are given to it.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/lower/lower.h"

namespace hw {

struct BadSource {
  std::string node;  // that draws the samples, or whose output is given
  std::string text;  // a sentence
};

/// The samples that hold Inf or NaN: "" where there are none, else a message about them. Checks all numbers of a
/// split that was read.
std::string bad_samples_text(const Dataset& data, Split split);

/// The sources of `program`, whose data sets were read (load_data), and of `given`, where an Inf may be meant, as in a
/// mask.
std::vector<BadSource> bad_sources(const Program& program, const GivenValues& given);

}  // namespace hw
