#include "engine/node/parameter_groups.h"

#include <fnmatch.h>

#include <charconv>
#include <sstream>

#include "engine/core/codes.h"

namespace hw {
namespace {

std::optional<double> number_in(const std::string& word, const std::string& key, double most) {
  double value = 0;
  const char *begin = word.data() + key.size(), *end = word.data() + word.size();
  const auto [at, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || at != end || !(value >= 0 && value <= most)) return std::nullopt;
  return value;
}

}  // namespace

bool ParameterGroup::holds(const std::string& parameter) const {
  return fnmatch(pattern.c_str(), parameter.c_str(), 0) == 0;
}

Result<std::vector<ParameterGroup>> parse_parameter_groups(const std::string& text, const std::string& where) {
  constexpr char kRate[] = "rate=", kDecay[] = "weight_decay=";
  std::vector<ParameterGroup> groups;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    ParameterGroup group;
    if (!(words >> group.pattern)) continue;
    const auto bad = [&](const std::string& reason) {
      return Error{codes::bad_parameter, where, "\"" + line + "\": " + reason,
                   "Write a line for each group, such as: backbone/* rate=0.1 weight_decay=0"};
    };
    int set = 0;
    for (std::string word; words >> word; ++set) {
      const bool rate = word.starts_with(kRate), decay = word.starts_with(kDecay);
      if (!rate && !decay) return bad("\"" + word + "\" is neither rate=FACTOR nor weight_decay=VALUE.");
      const auto value = rate ? number_in(word, kRate, 1e6) : number_in(word, kDecay, 1);
      if (!value) return bad("\"" + word + (rate ? "\": a factor from 0 to 1e6 is wanted." : "\": 0 to 1 is wanted."));
      if (rate)
        group.rate = *value;
      else
        group.weight_decay = value;
    }
    if (set == 0) return bad("it says neither rate=FACTOR nor weight_decay=VALUE.");
    groups.push_back(std::move(group));
  }
  return groups;
}

const ParameterGroup* group_of(const std::vector<ParameterGroup>& groups, const std::string& parameter) {
  for (const ParameterGroup& group : groups)
    if (group.holds(parameter)) return &group;
  return nullptr;
}

}  // namespace hw
