#include "app/cli/name_map.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/io/file_bytes.h"
#include "engine/io/json_text.h"

namespace hw::cli {

Result<std::map<std::string, std::string>> read_name_map(const std::string& file) {
  constexpr uint64_t kMostBytes = 64 << 20;
  HW_TRY(const std::string text, read_file_bytes(file, kMostBytes));
  HW_TRY(const nlohmann::json j, parse_json(text, file));
  if (!j.is_object() || !std::ranges::all_of(j, [](const auto& value) { return value.is_string(); }))
    return Error{codes::file_syntax, file, "expected an object of texts.", "Write {\"name\": \"name\"}."};
  return j.get<std::map<std::string, std::string>>();
}

}  // namespace hw::cli
