// What is looked at in a mesh that was read, and what is said of it.
#pragma once

#include "engine/io/model.h"

namespace hw {

/// Bounds of the triangles, and how many have no area.
void measure(Mesh& mesh, ModelInfo& info);

/// Distances between positions that f32 tells apart, in the model's units; 0 where that loses nothing that shows.
struct Steps {
  double read = 0;  // while the file was read
  double kept = 0;  // in the mesh: its parts lie far from each other
};

/// Warnings and notes about what the mesh lacks and where it lies.
void say_what_is_odd(Mesh& mesh, const ModelInfo& info, const Steps& steps);

}  // namespace hw
