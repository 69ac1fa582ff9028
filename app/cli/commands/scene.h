// What a Viewport node shows: its mesh, and its field with weights. For commands that draw or bake it.
#pragma once

#include <memory>

#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "engine/field/evaluator.h"
#include "engine/field/shader_field.h"

namespace hw::cli {

/// How a command says which viewer, with which values, evaluated where.
struct SceneOptions : GraphRequest {
  std::string node;
  WeightsChoice weights;
  std::string device = "cpu";
  bool shader = false;  // the field is also wanted as one
};
/// --weights and --partial-weights, --device, --pin.
void add_scene_options(CLI::App& command, SceneOptions& o);

/// What the Viewport shows. The mesh is not null.
struct Scene {
  std::string viewport;  // the node's id
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<FieldEvaluator> field;  // weights set; null: nothing is wired, the mesh's own texture is meant
  std::shared_ptr<const shader::FieldShader> shader;  // of the field, where it is wanted
  std::vector<uint32_t> shader_weights;
};

/// The device that evaluates fields of `graph`. Nodes pinned to one that is not here run there, too, with a note on
/// stderr. Errors: those of choose_device.
Result<std::shared_ptr<Device>> field_device(const std::string& id, const Graph& graph);
/// load_weights_beside; without any a note on stderr says that the network is untrained.
Result<std::shared_ptr<const Weights>> weights_to_show(const OpenGraph& loaded, const WeightsChoice& choice);
/// `loaded`: of the same options. `options.node`, or the first Viewport that is not bypassed. Errors in its cone are
/// printed and give kPrintedAlready. Without weights the network's initial ones are used, with a note on stderr.
/// `device`: the field's alone from now on.
/// Errors: files, HW-G001 no Viewport, HW-G003 no such node, HW-F005 weights that lack a parameter, lowering's own.
Result<Scene> load_scene(const OpenGraph& loaded, const SceneOptions& options, std::shared_ptr<Device> device);

}  // namespace hw::cli
