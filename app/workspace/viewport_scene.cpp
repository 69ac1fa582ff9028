#include "app/workspace/viewport_scene.h"

#include "app/workspace/assets.h"
#include "app/workspace/viewers.h"
#include "engine/graph/near_nodes.h"

namespace hw::workspace {
namespace {

bool is_viewport(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  return type && type->decl.role() == Role::viewport;
}

/// The node that is named, or else the first. `option`: by which it is named.
Result<std::string> chosen_viewport(const Graph& graph, const std::string& wanted, const std::string& option) {
  if (!wanted.empty()) {
    const Node* node = graph.find(wanted);
    if (!node) return no_such_node(graph, by_option(option, wanted), wanted);
    if (is_viewport(*node)) return wanted;
    return Error{codes::unknown_node, by_option(option, wanted), "this is no Viewport node.",
                 option.empty() ? "Name one, or none." : "Name one, or leave " + option + " out."};
  }
  if (const auto first = find_viewport(graph)) return *first;
  return Error{codes::missing_input, "viewport", "the graph has no Viewport node.", "Add one and wire a mesh to it."};
}

Status make_field(const OpenGraph& loaded, const SceneRequest& request, const Field& wire,
                  std::shared_ptr<Device> device, ViewportScene& scene, Notes& notes) {
  HW_TRY(scene.field, FieldEvaluator::make(loaded.graph, wire, loaded.assets, device));
  HW_TRY(std::shared_ptr<const Weights> weights, load_weights_to_show(loaded, request.weights, notes));
  HW_CHECK(set_weights(*scene.field, loaded.graph, weights, request.weights.partial));
  if (!request.shader) return ok();
  HW_TRY(ShaderField shader, ShaderField::make(loaded.graph, wire.from, {}, *loaded.assets, std::move(device)));
  HW_TRY(scene.shader_weights, shader.weights(weights.get(), weights_seed(loaded.graph)));
  scene.shader = std::make_shared<const shader::FieldShader>(shader.shader());
  return ok();
}

}  // namespace

std::optional<std::string> find_viewport(const Graph& graph) {
  for (const auto& [id, node] : graph.nodes())
    if (is_viewport(node) && !node.bypassed) return id;
  return std::nullopt;
}

Result<ViewportScene> load_viewport_scene(const OpenGraph& loaded, const SceneRequest& request,
                                          std::shared_ptr<Device> device, Notes& notes) {
  ViewportScene scene;
  HW_TRY(scene.viewport, chosen_viewport(loaded.graph, request.node, loaded.option_names.node));
  HW_CHECK(check_blocking(loaded.graph, loaded.document, scene.viewport, Pins::ignored, notes));
  note_file_warnings(loaded, {scene.viewport}, notes);
  const auto link = loaded.graph.links_into(scene.viewport, "mesh").at(0);  // required, so a valid graph has it
  const SocketRef source{link.from, link.from_socket};
  HW_TRY(const LoweredGraph lowered, lower(loaded.graph, std::span(&source, 1), {}, *loaded.assets));
  scene.mesh = std::get<std::shared_ptr<const Mesh>>(lowered.sockets.at(source));
  if (const auto field = field_into(loaded.graph, *loaded.graph.find(scene.viewport)))
    HW_CHECK(make_field(loaded, request, *field, std::move(device), scene, notes));
  return scene;
}

}  // namespace hw::workspace
