#include "engine/core/near_names.h"

#include <algorithm>
#include <tuple>

namespace hw {
namespace {

constexpr size_t kShortestRun = 3;
constexpr size_t kMostCharacters = 64;  // of what is looked for: a file may hold any text

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

std::vector<std::string> near_names(std::string_view name, std::vector<std::string> names, size_t most) {
  name = name.substr(0, kMostCharacters);
  std::vector<std::tuple<size_t, size_t, std::string>> near;  // less is nearer
  for (std::string& other : names) {
    const size_t run = common_run(name, other);
    if (run > 0 && run >= std::min(kShortestRun, other.size()))
      near.emplace_back(kMostCharacters - run, other.size(), std::move(other));
  }
  std::ranges::sort(near);
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(most, near.size()); ++i) nearest.push_back(std::move(std::get<2>(near[i])));
  return nearest;
}

std::string listed(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, names.size()); ++i) text += (text.empty() ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace hw
