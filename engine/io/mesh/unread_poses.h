// What would deform or move the meshes of a model and is not read: skins, morph targets, animations.
#pragma once

#include <string>
#include <vector>

namespace hw {

/// What is shown differently from the file, by name.
struct UnreadPoses {
  std::vector<std::string> skinned, morphed;  // meshes; morph targets of weight 0 change nothing
  std::vector<std::string> animations;
};
/// How a mesh or an animation is called: "its name" in quotation marks, else "mesh 2", which counts from 0.
std::string called(const std::string& name, const char* kind, size_t i);
/// A sentence for each kind, with the first names.
std::vector<std::string> sentences(const UnreadPoses& poses);

}  // namespace hw
