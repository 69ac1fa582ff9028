// JSON text in and out for the files of this folder: limits on depth, no duplicate keys, doubles that round-trip.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace hw {

inline constexpr int kJsonMaxDepth = 64;
/// Objects, lists, texts, numbers: a short text of empty objects would take fifty times its size in memory.
inline constexpr size_t kJsonMaxValues = 2'000'000;

/// Parses UTF-8 JSON. `name` is the file's name in errors. Error HW-F003: "name:line:column" for syntax (also numbers
/// too large for a double), the path inside the document for duplicate keys and too deep nesting.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& name);

/// On one line with a space after ':' and ','; keys sorted; doubles shortest, always with '.' or an exponent.
/// Strings that are not UTF-8 get replacement characters.
void append_json(std::string& out, const nlohmann::json& value);
/// The shortest text that reads back as `value`; keeps its kind: "1.0". Asserts that it is finite.
void append_double(std::string& out, double value);
void append_quoted(std::string& out, std::string_view text);

/// "an object", "text", "a whole number", …: for "expected …, got …".
std::string_view json_kind(const nlohmann::json& value);

}  // namespace hw
