// What the Vulkan validation layer wrote.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace hw::viewport::test {

inline constexpr const char* kOfQt[] = {"VUID-vkCreateDevice-ppEnabledExtensionNames-01387", "vkAcquireNextImageKHR",
                                        "vkQueuePresentKHR"};
inline constexpr char kNoLog[] = "The validation layer wrote no log: is vulkan-validationlayers installed?";

/// Its errors and warnings, but for those of how Qt makes its device and uses its swapchain: nothing of ours does.
/// Empty when it found none. Nothing when there is no log, which means that the layer never ran: a missing layer must
/// not read as a clean run.
inline std::optional<std::string> read_validation_log(const std::filesystem::path& log) {
  std::ifstream file(log);
  if (!file) return std::nullopt;
  std::string ours, message;
  const auto end_message = [&] {
    const bool of_qt =
        std::ranges::any_of(kOfQt, [&](const char* words) { return message.find(words) != message.npos; });
    if (!of_qt) ours += message;
    message.clear();
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Validation ")) end_message();
    message += line + '\n';
  }
  end_message();
  return ours;
}

}  // namespace hw::viewport::test
