// Names nearest to one that does not exist: for "Nearest: …" in messages, and for remedies that rename.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hw {

/// Whether `name` is another's with a slip or two: characters that are missing, in excess, wrong, or swapped with their
/// neighbour (optimal string alignment), one for each three characters at most. Upper and lower case are the same.
bool is_misspelling(std::string_view name, std::string_view of);

/// At most `most` of `names`, nearest first: those that `name` misspells, the fewest slips first; then those that share
/// the longest run of characters with it, three at least, of these the ones with the fewest characters besides. Upper
/// and lower case are the same. Empty: none is near.
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> names, size_t most);

/// "a, b, c"; behind `most` of them "and 4 more".
std::string listed(const std::vector<std::string>& names, size_t most);

}  // namespace hw
