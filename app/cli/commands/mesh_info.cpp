// mesh-info: what is in a model, and what of it Halfwire uses.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/json.h"
#include "engine/graph/check/texture_detail.h"
#include "engine/io/asset/assets.h"
#include "engine/io/mesh/model.h"

namespace hw::cli::mesh_info_command {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const std::string& file, const Model& model, const ImportCost& cost) {
  const Mesh& mesh = *model.mesh;
  const ModelInfo& info = model.info;
  ordered_json materials = ordered_json::array(), textures = ordered_json::array();
  for (const ModelMaterial& m : info.materials) {
    ordered_json j{{"name", m.name}, {"texture", nullptr}, {"base_color", m.base_color}};
    if (m.texture >= 0) j["texture"] = m.texture;
    materials.push_back(std::move(j));
  }
  for (const ModelTexture& t : info.textures) {
    textures.push_back(
        {{"name", t.name}, {"state", name(t.state)}, {"width", t.width}, {"height", t.height}, {"detail", t.detail}});
  }
  ordered_json j{{"file", file},
                 {"format", info.format},
                 {"nodes", info.nodes},
                 {"meshes", info.meshes},
                 {"instances", info.instances},
                 {"transforms", info.transforms},
                 {"unit_in_metres", nullptr},
                 {"texels_on_surface", texels_on_surface(mesh)},
                 {"triangles", mesh.triangles.size()},
                 {"degenerate_triangles", info.degenerate},
                 {"vertices", mesh.positions.size()},
                 {"uvs", !mesh.uvs.empty()},
                 {"vertex_colours", !mesh.colours.empty()},
                 {"bounds", {{"min", mesh.bounds_min}, {"max", mesh.bounds_max}}},
                 {"origin", mesh.origin},
                 {"parts", mesh.parts.size()},
                 {"materials", std::move(materials)},
                 {"textures", std::move(textures)},
                 {"warnings", mesh.warnings},
                 {"notes", mesh.notes},
                 {"refused", info.refused},
                 {"seconds", cost.wall_seconds},
                 {"peak_bytes", cost.peak_bytes}};
  if (info.unit_in_metres > 0) j["unit_in_metres"] = info.unit_in_metres;
  return j;
}

bool has_origin(const Mesh& mesh) {
  return mesh.origin != std::array<double, 3>{};
}

void print(const std::string& file, const Model& model, const ImportCost& cost) {
  const Mesh& mesh = *model.mesh;
  const ModelInfo& info = model.info;
  std::printf("%s: %s\n", file.c_str(), info.format.empty() ? "format not named" : info.format.c_str());
  std::printf("  scene      nodes %llu, meshes %llu, instances %llu, transforms %llu\n",
              static_cast<unsigned long long>(info.nodes), static_cast<unsigned long long>(info.meshes),
              static_cast<unsigned long long>(info.instances), static_cast<unsigned long long>(info.transforms));
  if (info.unit_in_metres > 0) {
    std::printf("  unit       %g m\n", info.unit_in_metres);
  } else {
    std::printf("  unit       not said\n");
  }
  std::printf("  triangles  %zu, %llu of them without area\n", mesh.triangles.size(),
              static_cast<unsigned long long>(info.degenerate));
  std::printf("  vertices   %zu, %s UVs, %s colours\n", mesh.positions.size(), mesh.uvs.empty() ? "no" : "with",
              mesh.colours.empty() ? "no" : "with");
  std::printf("  bounds     (%g, %g, %g) to (%g, %g, %g)\n", double{mesh.bounds_min[0]}, double{mesh.bounds_min[1]},
              double{mesh.bounds_min[2]}, double{mesh.bounds_max[0]}, double{mesh.bounds_max[1]},
              double{mesh.bounds_max[2]});
  if (has_origin(mesh))
    std::printf("  origin     (%.9g, %.9g, %.9g), taken off the positions\n", mesh.origin[0], mesh.origin[1],
                mesh.origin[2]);
  std::printf("  materials  %zu\n", info.materials.size());
  for (const ModelMaterial& m : info.materials) {
    std::printf("    \"%s\"%s%s\n", m.name.c_str(), m.texture >= 0 ? ": " : "",
                m.texture >= 0 ? info.textures[static_cast<size_t>(m.texture)].name.c_str() : "");
  }
  std::printf("  textures   %zu\n", info.textures.size());
  for (const ModelTexture& t : info.textures) {
    std::printf("    \"%s\": %s, %d × %d%s%s\n", t.name.c_str(), std::string(name(t.state)).c_str(), t.width, t.height,
                t.detail.empty() ? "" : ", ", t.detail.c_str());
  }
  std::printf("  detail     %.0f texels on the surface\n", texels_on_surface(mesh));
  std::printf("  reading    %.3f s, %.0f MB\n", cost.wall_seconds, static_cast<double>(cost.peak_bytes) * 1e-6);
  for (const std::string& warning : mesh.warnings) std::printf("warning: %s\n", warning.c_str());
  for (const std::string& note : mesh.notes) std::printf("note: %s\n", note.c_str());
  for (const std::string& refused : info.refused)
    std::printf("warning: not read, it lies outside the model's folder: %s; see --allow-path\n", refused.c_str());
}

int mesh_info(const std::string& path, const std::vector<std::string>& allowed, bool json) {
  ImportCost cost;
  const auto model = [&]() -> Result<Model> {
    const bool is_asset = path.starts_with("asset:");
    FileAssets assets(is_asset ? "." : std::filesystem::path(path).parent_path());
    for (const std::string& more : allowed) assets.allow(more);
    if (!is_asset) return load_model(path, assets.reach(), &cost);
    HW_TRY(const std::filesystem::path file, assets.resolve(path));
    return load_model(file, assets.reach(), &cost);
  }();
  if (!model) {
    if (json) print_json({{"file", path}, {"error", workspace::to_json(model.error())}});
    return report(model.error());
  }
  if (json) {
    print_json(to_json(path, *model, cost));
  } else {
    print(path, *model, cost);
  }
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("mesh-info", "What is in a model: meshes, materials, textures, bounds");
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("file", *file, "A model, or asset:NAME")->required();
  add_json(*command, *json);
  auto allowed = std::make_shared<std::vector<std::string>>();
  add_allowed(*command, *allowed);
  command->callback([=, &chosen] { chosen = [=] { return mesh_info(*file, *allowed, *json); }; });
}

}  // namespace hw::cli::mesh_info_command
