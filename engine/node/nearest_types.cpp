#include "engine/node/nearest_types.h"

#include <algorithm>
#include <tuple>

namespace hw {
namespace {

constexpr size_t kShortestRun = 3;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Length of the longest run of characters that both have.
size_t common_run(std::string_view a, std::string_view b) {
  std::vector<size_t> runs(b.size() + 1);  // that end at a's character and b's
  size_t longest = 0;
  for (const char c : a) {
    for (size_t j = b.size(); j > 0; --j) {
      runs[j] = lower(c) == lower(b[j - 1]) ? runs[j - 1] + 1 : 0;
      longest = std::max(longest, runs[j]);
    }
  }
  return longest;
}

}  // namespace

std::vector<const NodeType*> nearest_types(std::string_view name, size_t most) {
  name = name.substr(0, 64);                                      // a file may hold any text
  std::vector<std::tuple<size_t, size_t, const NodeType*>> near;  // less is nearer
  for (const auto& [id, type] : Registry::instance().all()) {
    const size_t run = common_run(name, id);
    if (run >= std::min(kShortestRun, id.size())) near.emplace_back(64 - run, id.size(), &type);
  }
  std::ranges::sort(near, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)->id) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b)->id);
  });
  std::vector<const NodeType*> types;
  for (size_t i = 0; i < std::min(most, near.size()); ++i) types.push_back(std::get<2>(near[i]));
  return types;
}

}  // namespace hw
