#include "app/viewport/validation.h"

#include <cstdlib>
#include <fstream>
#include <string>

namespace hw::viewport {
namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";

}  // namespace

bool enable_validation_from_environment() {
  const char* log = std::getenv("HALFWIRE_VULKAN_LOG");
  if (!log || !*log) return false;
  const std::string settings = std::string(log) + ".settings.txt";
  std::ofstream(settings)
      << "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
      << "khronos_validation.report_flags = error,warn\n"
      << "khronos_validation.log_filename = " << log << "\n"
      << "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n";
  setenv("VK_LAYER_SETTINGS_PATH", settings.c_str(), 1);
  const char* layers = std::getenv("VK_INSTANCE_LAYERS");
  const std::string wanted = layers ? layers : "";
  if (wanted.find(kLayer) == std::string::npos)
    setenv("VK_INSTANCE_LAYERS", (wanted.empty() ? kLayer : wanted + ":" + kLayer).c_str(), 1);
  return true;
}

}  // namespace hw::viewport
