#include "app/cli/options/scene_options.h"

#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"

namespace hw::cli {

void add_scene_options(CLI::App& command, SceneOptions& o) {
  add_weights(command, o.weights, kWeightsBesideHelp);
  add_device(command, o.device, "What evaluates the field; see halfwire-cli devices");
  add_pins(command, o.pins);
}

}  // namespace hw::cli
