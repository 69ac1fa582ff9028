#include "engine/graph/check/texture_detail.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "engine/core/codes.h"

namespace hw {
namespace {

/// All nodes that depend on `start`. Links may name nodes that are not there.
std::set<std::string> downstream(const Graph& graph, const std::string& start) {
  std::set<std::string> seen{start};
  std::vector<std::string> open{start};
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    for (const Link& link : graph.links_from(id))
      if (seen.insert(link.to).second) open.push_back(link.to);
  }
  return seen;
}

std::string millions(double count) {
  char text[32];
  std::snprintf(text, sizeof text, count >= 9.95e5 ? "%.1f M" : "%.0f", count >= 9.95e5 ? count * 1e-6 : count);
  return text;
}

}  // namespace

double texels_on_surface(const Mesh& mesh) {
  double texels = 0;
  for (const MeshPart& part : mesh.parts) {
    if (!part.texture || mesh.uvs.empty()) continue;
    double area = 0;  // of the uv square
    for (uint32_t t = part.first_triangle; t < part.first_triangle + part.triangle_count; ++t) {
      const auto &a = mesh.uvs[mesh.triangles[t][0]], &b = mesh.uvs[mesh.triangles[t][1]],
                 &c = mesh.uvs[mesh.triangles[t][2]];
      area +=
          0.5 * std::abs((double{b[0]} - a[0]) * (double{c[1]} - a[1]) - (double{c[0]} - a[0]) * (double{b[1]} - a[1]));
    }
    texels += area * part.texture->width * part.texture->height;
  }
  return texels;
}

std::vector<Diagnostic> texture_detail_hints(const Graph& graph, const std::string& node, const Mesh& mesh) {
  std::vector<Diagnostic> hints;
  const double texels = texels_on_surface(mesh);
  for (const std::string& id : downstream(graph, node)) {
    const Node* grid = graph.find(id);
    const NodeType* type = grid ? Registry::instance().find(grid->type) : nullptr;
    const ParamDecl* size = type ? type->decl.find_param("log2_table") : nullptr;
    if (!size) continue;
    const ParamValue value = param_value(*grid, size->id);
    const auto* log2 = std::get_if<int64_t>(&value);
    if (!log2 || texels <= std::exp2(static_cast<double>(*log2))) continue;
    const double enough = std::min(std::ceil(std::log2(texels)), size->max.value_or(62));
    Diagnostic d;
    d.code = codes::asset_lacks;
    d.severity = Severity::info;
    d.node = id;
    d.socket = size->id;
    d.reason =
        "The textures put " + millions(texels) + " texels on the surface, and a level of the table has " +
        millions(std::exp2(static_cast<double>(*log2))) +
        " entries: detail that is finer is blurred. It takes a larger table and more steps, or smaller textures.";
    if (const auto larger = static_cast<int64_t>(enough); larger > *log2)
      d.remedies.push_back({"Set " + display_name(*grid) + "'s " + size->label + " to " + std::to_string(larger),
                            {SetParam{id, size->id, larger}}});
    hints.push_back(std::move(d));
  }
  return hints;
}

}  // namespace hw
