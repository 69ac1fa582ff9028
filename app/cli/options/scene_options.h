// Options of commands that draw or bake what a Viewport shows.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/print/print_notes.h"
#include "app/workspace/viewport_scene.h"

namespace hw::cli {

struct SceneOptions : GraphRequest, SceneRequest {
  std::string device = "cpu";  // that evaluates the field
};
/// --weights and --partial-weights, --device, --pin.
void add_scene_options(CLI::App& command, SceneOptions& o);

}  // namespace hw::cli
