#include "app/cli/commands/scene.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/commands/evaluation.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/print/report.h"
#include "app/workspace/assets.h"
#include "app/workspace/viewers.h"
#include "engine/devices/devices.h"
#include "engine/graph/near_nodes.h"

namespace hw::cli {
namespace {

bool is_viewport(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  return type && type->decl.role() == Role::viewport;
}

Result<std::string> find_viewport(const Graph& graph, const std::string& wanted) {
  if (!wanted.empty()) {
    const Node* node = graph.find(wanted);
    if (!node) return no_such_node(graph, "--node " + wanted, wanted);
    if (is_viewport(*node)) return wanted;
    return Error{codes::unknown_node, "--node " + wanted, "this is no Viewport node.",
                 "Name one, or leave --node out."};
  }
  for (const auto& [id, node] : graph.nodes()) {
    if (is_viewport(node) && !node.bypassed) return id;
  }
  return Error{codes::missing_input, "viewport", "the graph has no Viewport node.", "Add one and wire a mesh to it."};
}

Status make_field(const SceneOptions& o, const OpenGraph& loaded, const Field& wire, std::shared_ptr<Device> device,
                  Scene& scene) {
  HW_TRY(scene.field, FieldEvaluator::make(loaded.graph, wire, loaded.assets, device));
  HW_TRY(std::shared_ptr<const Weights> weights, weights_to_show(loaded, o.weights));
  HW_CHECK(workspace::set_weights(*scene.field, loaded.graph, weights, o.weights.partial));
  if (!o.shader) return ok();
  HW_TRY(ShaderField shader, ShaderField::make(loaded.graph, wire.from, {}, *loaded.assets, std::move(device)));
  HW_TRY(scene.shader_weights, shader.weights(weights.get(), workspace::weights_seed(loaded.graph)));
  scene.shader = std::make_shared<const shader::FieldShader>(shader.shader());
  return ok();
}

}  // namespace

void add_scene_options(CLI::App& command, SceneOptions& o) {
  add_weights(command, o.weights, kWeightsBesideHelp);
  add_device(command, o.device, "What evaluates the field; see halfwire-cli devices");
  add_pins(command, o.pins);
}

Result<std::shared_ptr<Device>> field_device(const std::string& id, const Graph& graph) {
  HW_TRY(std::shared_ptr<Device> device, choose_device(id));
  std::string missing;
  for (const auto& [name, node] : graph.nodes())
    if (!node.device.empty() && !has_device(node.device))
      missing += (missing.empty() ? "" : ", ") + name + " (" + node.device + ")";
  if (!missing.empty())
    std::fprintf(stderr, "warning: the picture is evaluated on the %s; not used: the device of %s\n",
                 device->id().c_str(), missing.c_str());
  return device;
}

Result<std::shared_ptr<const Weights>> weights_to_show(const OpenGraph& loaded, const WeightsChoice& choice) {
  HW_TRY(std::shared_ptr<const Weights> weights, noted(load_weights_beside, loaded, choice));
  if (!weights) noted(note_without_weights, loaded.graph, "the picture shows the untrained network");
  return weights;
}

Result<Scene> load_scene(const OpenGraph& loaded, const SceneOptions& o, std::shared_ptr<Device> device) {
  Scene scene;
  HW_TRY(scene.viewport, find_viewport(loaded.graph, o.node));
  if (report_blocking(loaded.graph, loaded.document, scene.viewport, Pins::ignored)) return kPrintedAlready;
  noted(note_file_warnings, loaded, std::vector{scene.viewport});
  const auto link = loaded.graph.links_into(scene.viewport, "mesh").at(0);  // required, so a valid graph has it
  const SocketRef source{link.from, link.from_socket};
  HW_TRY(const LoweredGraph lowered, lower(loaded.graph, std::span(&source, 1), {}, *loaded.assets));
  scene.mesh = std::get<std::shared_ptr<const Mesh>>(lowered.sockets.at(source));
  if (const auto field = field_into(loaded.graph, *loaded.graph.find(scene.viewport))) {
    HW_CHECK(make_field(o, loaded, *field, std::move(device), scene));
  }
  return scene;
}

}  // namespace hw::cli
