// Whether an encoder can hold what the textures of a mesh show.
#pragma once

#include "engine/core/mesh.h"
#include "engine/graph/check/diagnostic.h"
#include "engine/graph/graph.h"

namespace hw {

/// Texels of the parts' textures on the surface: the area of each triangle in its texture, in texels, summed. A texture
/// that is repeated counts as often as it is shown.
double texels_on_surface(const Mesh& mesh);

/// Hash grids behind the mesh of `node` whose tables have fewer entries a level than its textures have texels on the
/// surface: fine detail is blurred. Severity info, code HW-A003; the remedy is the smallest table that has as many, or
/// the largest that the parameter allows.
std::vector<Diagnostic> texture_detail_hints(const Graph& graph, const std::string& node, const Mesh& mesh);

}  // namespace hw
