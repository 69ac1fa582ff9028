#include "engine/io/mesh/unread_poses.h"

#include <algorithm>

namespace hw {
namespace {

/// a, b, c and 3 more.
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    const bool is_last = i > 0 && i + 1 == names.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + names[i];
  }
  text += names.size() > kMost ? " and " + std::to_string(names.size() - kMost) + " more" : "";
  return text + (names.size() == 1 ? " is" : " are");
}

}  // namespace

std::string called(const std::string& name, const char* kind, size_t i) {
  return name.empty() ? kind + (" " + std::to_string(i)) : "\"" + name + "\"";
}

std::vector<std::string> sentences(const UnreadPoses& poses) {
  std::vector<std::string> all;
  if (!poses.skinned.empty())
    all.push_back("Skins (joints and weights) are not read: " + listed(poses.skinned) +
                  " shown undeformed, as the vertices are in the file. Export it with the pose applied.");
  if (!poses.morphed.empty())
    all.push_back("Morph targets are not read: " + listed(poses.morphed) +
                  " shown without those that the file gives weight. Export it with the shape applied.");
  if (!poses.animations.empty())
    all.push_back("Animations are not read: " + listed(poses.animations) +
                  " passed over, and the model is shown at rest.");
  return all;
}

}  // namespace hw
