// What the Vulkan validation layer wrote.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace hw::viewport::test {

inline constexpr char kNoLog[] = "The validation layer wrote no log: is vulkan-validationlayers installed?";

/// Its errors and warnings. Empty when it found none. Nothing when there is no log, which means that the layer never
/// ran: a missing layer must not read as a clean run.
inline std::optional<std::string> read_validation_log(const std::filesystem::path& log) {
  std::ifstream file(log);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The same without those of how Qt makes a device and uses its swapchain, where both are Qt's.
inline std::string without_those_of_qt(const std::string& log) {
  constexpr std::string_view kOfQt[] = {"VUID-vkCreateDevice-ppEnabledExtensionNames-01387", "vkCreateSwapchainKHR",
                                        "vkAcquireNextImageKHR", "vkQueuePresentKHR"};
  constexpr std::string_view kBeginnings[] = {"Validation ", "VUID-", "UNASSIGNED", "SYNC-"};
  std::string ours, message;
  const auto end_message = [&] {
    const bool of_qt = std::ranges::any_of(kOfQt, [&](std::string_view w) { return message.find(w) != message.npos; });
    if (!of_qt) ours += message;
    message.clear();
  };
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (std::ranges::any_of(kBeginnings, [&](std::string_view words) { return line.starts_with(words); }))
      end_message();
    message += line + '\n';
  }
  end_message();
  return ours;
}

}  // namespace hw::viewport::test
