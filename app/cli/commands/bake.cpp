// bake: the Viewport node's field as textures of its mesh, written as .glb or .obj.
#include "engine/bake/bake.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/scene_options.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/input_files.h"
#include "app/workspace/viewers.h"
#include "engine/io/mesh/mesh_export.h"

namespace hw::cli::bake_command {
namespace {

using nlohmann::ordered_json;

struct Options {
  SceneOptions scene;
  std::string out;
  BakeOptions bake;
  bool json = false;
};

ordered_json to_json(const Options& o, const Bake& baked, const std::vector<std::filesystem::path>& files,
                     double seconds) {
  ordered_json names = ordered_json::array();
  for (const std::filesystem::path& file : files) names.push_back(file.string());
  return {{"graph", o.scene.graph},
          {"files", names},
          {"textures", baked.textures},
          {"width", o.bake.size},
          {"height", o.bake.size},
          {"covered_texels", baked.covered},
          {"unwrapped", baked.unwrapped},
          {"unwrapped_because", baked.reason},
          {"seconds", seconds}};
}

int bake(const Options& o) {
  if (const Status s = check_mesh_name(o.out); !s) return report(s.error());
  const auto loaded = noted(open_graph, o.scene);
  if (!loaded) return report(loaded.error());
  const auto device = noted(field_device, *loaded, o.scene.device);
  if (!device) return report(device.error());
  const auto scene = noted(load_viewport_scene, *loaded, o.scene, *device);
  if (!scene) return report(scene.error());
  const auto files = input_files(*loaded, o.scene.weights.file);
  if (const Status s = refuse_overwrite(o.out, files); !s) return report(s.error());
  if (!scene->field) {
    return report(Error{codes::missing_input, scene->viewport + ".field",
                        "no field is wired, so there is nothing to bake.",
                        "Wire a colour that depends on a position."});
  }
  const auto start = std::chrono::steady_clock::now();
  const auto baked = bake_field(*scene->mesh, color_field(scene->field), o.bake);
  if (!baked) return report(baked.error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::vector<std::filesystem::path> written = mesh_files(*baked->mesh, o.out);
  for (const std::filesystem::path& file : written)
    if (const Status s = refuse_overwrite(file, files); !s) return report(s.error());
  if (const Status saved = save_mesh(*baked->mesh, o.out); !saved) return report(saved.error());
  if (o.json) {
    print_json(to_json(o, *baked, written, seconds));
    return kDone;
  }
  if (baked->unwrapped) {
    std::printf("new texture coordinates%s%s\n", baked->reason.empty() ? "" : ": ", baked->reason.c_str());
  }
  std::printf("%s: %d texture%s of %d × %d texels, %zu of them on the surface, baked in %.1f s\n", o.out.c_str(),
              baked->textures, baked->textures == 1 ? "" : "s", o.bake.size, o.bake.size, baked->covered, seconds);
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("bake", "Write the Viewport node's mesh with its field as a texture");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, o->scene);
  command->add_option("-o,--output", o->out, "The .glb or .obj to write; .obj brings a .mtl and .png beside it")
      ->required();
  command->add_option("--size", o->bake.size, "Texels a side, 16 to 8192")->capture_default_str();
  const std::map<std::string, BakeUvs> uvs{
      {"auto", BakeUvs::automatic}, {"keep", BakeUvs::keep}, {"unwrap", BakeUvs::unwrap}};
  command
      ->add_option("--uvs", o->bake.uvs, "auto: the mesh's own texture coordinates if they can hold it, else new ones")
      ->transform(CLI::CheckedTransformer(uvs, CLI::ignore_case))
      ->option_text("auto|keep|unwrap");
  command->add_option("--gutter", o->bake.gutter, "Texels around each chart that continue it")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command->add_option("--node", o->scene.node, "The Viewport node; default: the first one");
  add_scene_options(*command, o->scene);
  add_json(*command, o->json);
  command->callback([o, &chosen] { chosen = [o] { return bake(*o); }; });
}

}  // namespace hw::cli::bake_command
