#include "engine/core/nearest_names.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hw {
namespace {

constexpr size_t kShortestRun = 3, kLongest = 64;  // characters; a file may hold any text
constexpr size_t kCharactersASlip = 3;

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

/// The fewest characters put in, left out, exchanged or swapped with their neighbour that make one of the other.
size_t slips(std::string_view a, std::string_view b) {
  std::vector<size_t> two(b.size() + 1), one(b.size() + 1), row(b.size() + 1);  // by b's characters, of a's so far
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    two = std::exchange(one, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({one[j] + 1, row[j - 1] + 1, one[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

bool is_misspelling(std::string_view name, std::string_view of) {
  if (name.size() > kLongest || of.size() > kLongest) return false;
  return slips(name, of) <= std::min(name.size(), of.size()) / kCharactersASlip;
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> names, size_t most) {
  name = name.substr(0, kLongest);
  std::vector<std::tuple<size_t, size_t, size_t, std::string>> near;  // less is nearer
  for (const std::string& other : names) {
    const bool misspelt = is_misspelling(name, other);
    const size_t run = common_run(name, other);
    if (misspelt || run >= std::min(kShortestRun, other.size()))
      near.emplace_back(misspelt ? slips(name, other) : kLongest, kLongest - run, other.size(), other);
  }
  std::ranges::sort(near);
  std::vector<std::string> found;
  for (size_t i = 0; i < std::min(most, near.size()); ++i) found.push_back(std::get<3>(near[i]));
  return found;
}

std::string listed(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, names.size()); ++i) text += (text.empty() ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace hw
