// The names that are nearest to one that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hw {

/// At most `most` of `names`, nearest first: those that share the longest run of characters with `name`, three at least
/// or all of a shorter one, upper and lower case being the same; of these the ones with the fewest characters besides,
/// then by name. Empty: none is near.
std::vector<std::string> near_names(std::string_view name, std::vector<std::string> names, size_t most);

/// "a, b, c"; behind `most` of them "and 4 more".
std::string listed(const std::vector<std::string>& names, size_t most);

}  // namespace hw
