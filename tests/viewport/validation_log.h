// What the Vulkan validation layer wrote.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace hw::viewport::test {

inline constexpr char kNoLog[] = "The validation layer wrote no log: is vulkan-validationlayers installed?";

/// Its errors and warnings; empty when it found none. Nothing when there is no log, which means that the layer never
/// ran: a missing layer must not read as a clean run.
inline std::optional<std::string> read_validation_log(const std::filesystem::path& log) {
  std::ifstream file(log);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace hw::viewport::test
