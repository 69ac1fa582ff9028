#include "app/workspace/name_map.h"

#include <algorithm>

#include "app/workspace/option_names.h"
#include "engine/core/codes.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/file/json_text.h"

namespace hw::workspace {

namespace {

using Names = std::map<std::string, std::string>;

/// A JSON object of texts.
Result<Names> read_names(const std::string& file) {
  constexpr uint64_t kMostBytes = 64 << 20;
  HW_TRY(const std::string text, read_file_bytes(file, kMostBytes));
  HW_TRY(const nlohmann::json j, parse_json(text, file));
  if (!j.is_object() || !std::ranges::all_of(j, [](const auto& value) { return value.is_string(); }))
    return Error{codes::file_syntax, file, "expected an object of texts.", "Write {\"name\": \"name\"}."};
  return j.get<Names>();
}

Result<Names> names_in(const std::string& option, const std::string& word) {
  if (word.ends_with(".json")) return read_names(word);
  const size_t equals = word.find('=');
  if (equals != word.npos) return Names{{word.substr(0, equals), word.substr(equals + 1)}};
  return Error{codes::bad_usage, by_option(option, word), "expected NAME=NAME or a .json file.",
               "For example: layer.weight=fc.weight."};
}

}  // namespace

Status add_names(Names& names, const std::string& option, const std::string& word) {
  HW_TRY(const Names more, names_in(option, word));
  for (const auto& [from, to] : more) {
    const auto [known, added] = names.emplace(from, to);
    if (!added && known->second != to)
      return Error{codes::bad_usage, by_option(option, word),
                   "\"" + from + "\" is given twice, as \"" + known->second + "\" and as \"" + to + "\".",
                   "Give each name once."};
  }
  return ok();
}

}  // namespace hw::workspace
