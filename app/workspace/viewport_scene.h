// What a Viewport node shows, without a window: its mesh, and its field with weights.
#pragma once

#include <memory>
#include <optional>

#include "app/workspace/open_graph.h"
#include "app/workspace/weights.h"
#include "engine/field/evaluator.h"
#include "engine/field/shader_field.h"

namespace hw::workspace {

/// Which Viewport, with which weights.
struct SceneRequest {
  std::string node = {};  // empty: the first that is not bypassed
  WeightsChoice weights = {};
  bool shader = false;  // the field is also wanted as one
};

struct ViewportScene {
  std::string viewport;                   // the node's id
  std::shared_ptr<const Mesh> mesh;       // not null
  std::shared_ptr<FieldEvaluator> field;  // weights set; null: nothing is wired, the mesh's own texture is meant
  std::shared_ptr<const shader::FieldShader> shader;  // of the field, where it is wanted
  std::vector<uint32_t> shader_weights;
};

/// The first Viewport that is not bypassed.
std::optional<std::string> find_viewport(const Graph& graph);
/// What a Viewport of an open graph shows, which lives on without that. Weights as load_weights_to_show. Notes: errors
/// in its cone, which are the error then, and what its files lack. `device`: the field's alone from now on. Errors:
/// those of check_blocking and load_weights_to_show, HW-G001 no Viewport, HW-G003 no such node, HW-F005 weights that
/// lack a parameter, lowering's own.
Result<ViewportScene> load_viewport_scene(const OpenGraph& loaded, const SceneRequest& request,
                                          std::shared_ptr<Device> device, Notes& notes);

}  // namespace hw::workspace
