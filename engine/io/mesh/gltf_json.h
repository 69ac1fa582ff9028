// Members of a glTF file's JSON, which is untrusted: of any type.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace hw::gltf {

/// The member of that name; null where there is none.
inline const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

/// The list of that name; empty for anything else.
inline const nlohmann::json& list(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none = nlohmann::json::array();
  const nlohmann::json& found = member(object, name);
  return found.is_array() ? found : none;
}

/// An element of the list of that name; null where there is none.
inline const nlohmann::json& element(const nlohmann::json& object, const char* name, size_t i) {
  static const nlohmann::json none;
  const nlohmann::json& all = list(object, name);
  return i < all.size() ? all[i] : none;
}

/// An index, or a size; none for anything else.
inline std::optional<size_t> index(const nlohmann::json& value) {
  if (!value.is_number_unsigned() || value.get<size_t>() > INT32_MAX) return std::nullopt;
  return value.get<size_t>();
}

/// How an element of a list is called: by its name, else by its number, which counts from 0.
inline std::string called(const nlohmann::json& element, size_t i) {
  const nlohmann::json& name = member(element, "name");
  return name.is_string() ? "\"" + name.get<std::string>() + "\"" : std::to_string(i);
}

}  // namespace hw::gltf
