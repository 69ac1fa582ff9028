// Checks of a mesh that was read, and the messages about it.
#pragma once

#include "engine/io/mesh/model.h"

namespace hw {

/// Bounds of the triangles, and how many have no area.
void measure(Mesh& mesh, ModelInfo& info);

/// The distance of neighbouring f32 positions, in the model's units; 0 where rounding to it is not visible.
struct Steps {
  double read = 0;  // while the file was read
  double kept = 0;  // in the mesh: its parts lie far from each other
};

/// Warnings and notes about what the mesh lacks and where it lies.
void say_what_is_odd(Mesh& mesh, const ModelInfo& info, const Steps& steps);

}  // namespace hw
