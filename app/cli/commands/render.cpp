// render: the picture of a Viewport or an Image View node, without a window.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/picture.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/scene_options.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/input_files.h"
#include "app/workspace/viewers.h"
#include "engine/field/finite.h"
#include "engine/graph/near_nodes.h"
#if HALFWIRE_HAS_VIEWPORT
#include "app/viewport/headless.h"
#include "engine/io/media/image_file.h"
#endif

namespace hw::cli::render_command {
namespace {

constexpr char kView[] = "field";

struct Options {
  SceneOptions scene;
  std::string out, size, camera = "30,20,1";
  std::string view = kView, background;
  std::vector<std::string> mesh_options;  // those that were given of the options that say how a mesh is seen
  double split = 0, fov = 0;              // fov 0: the camera's
  bool compare = false, json = false;
};

Error bad_size(const std::string& text) {
  return {codes::bad_usage, "--size " + text, "expected WIDTHxHEIGHT, each from 1 to 16384.", "For example: 1920x1080"};
}

Result<std::pair<int, int>> parse_size(const std::string& text) {
  const size_t x = text.find('x');
  if (x == std::string::npos) return bad_size(text);
  const auto number = [](std::string_view part) {
    int value = 0;
    const auto [end, ec] = std::from_chars(part.data(), part.data() + part.size(), value);
    return ec == std::errc() && end == part.data() + part.size() ? value : 0;
  };
  const int width = number(std::string_view(text).substr(0, x)), height = number(std::string_view(text).substr(x + 1));
  if (width < 1 || height < 1 || width > 16384 || height > 16384) return bad_size(text);
  return std::pair(width, height);
}

Status check_picture_name(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".png") return ok();
  return Error{codes::bad_usage, "-o " + file.string(), "pictures are written as .png.",
               "Choose a name that ends in it."};
}

#if HALFWIRE_HAS_VIEWPORT

/// "RRGGBB", or "" for the usual gradient.
Result<viewport::Background> parse_background(const std::string& text) {
  if (text.empty()) return viewport::Background{};
  uint32_t rgb = 0;
  const char* end = text.data() + text.size();
  const auto [at, ec] = std::from_chars(text.data(), end, rgb, 16);
  if (text.size() != 6 || ec != std::errc() || at != end)
    return Error{codes::bad_usage, "--background " + text, "expected six hexadecimal digits, RRGGBB.",
                 "For example: ffffff"};
  const auto channel = [rgb](int shift) { return static_cast<float>(rgb >> shift & 0xff) / 255.0f; };
  return viewport::Background::plain({channel(16), channel(8), channel(0)});
}

bool has_texture(const Mesh& mesh) {
  return !mesh.uvs.empty() &&
         std::any_of(mesh.parts.begin(), mesh.parts.end(), [](const MeshPart& p) { return p.texture != nullptr; });
}

int render_viewport(const Options& o, const OpenGraph& loaded, std::pair<int, int> size,
                    std::shared_ptr<Device> device) {
  auto camera = viewport::Camera::parse(o.camera);
  if (!camera) return report(camera.error());
  if (o.fov > 0) camera->fov = static_cast<float>(o.fov);
  const auto background = parse_background(o.background);
  if (!background) return report(background.error());
  const auto scene = noted(load_viewport_scene, loaded, o.scene, std::move(device));
  if (!scene) return report(scene.error());
  if (o.compare && o.scene.shader) {
    return report(Error{codes::bad_usage, "--compare",
                        "it measures what the evaluator computes, not --shader's 8 bits.", "Leave --shader out."});
  }
  if (o.compare && o.view != kView) {
    return report(Error{codes::bad_usage, "--compare", "it measures the field, not the view " + o.view + ".",
                        "Leave --view out."});
  }
  if (o.scene.shader && !scene->field) {
    return report(Error{codes::asset_lacks, scene->viewport, "--shader needs a field.",
                        "Wire a field to the Viewport, or leave --shader out."});
  }
  if (o.compare && (!scene->field || !has_texture(*scene->mesh))) {
    return report(Error{codes::asset_lacks, scene->viewport, "--compare needs a field and a mesh with a texture.",
                        "Wire a field to the Viewport, or leave --compare out."});
  }

  const auto [width, height] = size;
  camera->frame(scene->mesh->bounds_min, scene->mesh->bounds_max, camera->distance,
                static_cast<float>(width) / static_cast<float>(height));
  viewport::RenderOptions options;
  const auto view = std::find(viewport::kViewNames.begin(), viewport::kViewNames.end(), o.view);
  options.view = static_cast<viewport::View>(view - viewport::kViewNames.begin());  // the parser knows the names
  options.compose.background = *background;
  options.compose.split = static_cast<float>(o.split);
  if (scene->shader) {
    options.gpu_field = std::make_shared<const GpuField>(
        GpuField{scene->shader, [&]() -> Result<std::vector<uint32_t>> { return scene->shader_weights; }});
  }
  const auto picture =
      viewport::render_headless(*scene->mesh, *camera, width, height, color_field(scene->field), options);
  if (!picture) return report(picture.error());
  if (const Status saved = save_png(picture->image, o.out); !saved) return report(saved.error());
  DrawnPicture drawn{loaded.file, o.out, width, height};
  if (o.compare) {
    if (picture->field.empty()) {
      return report(Error{codes::asset_lacks, scene->viewport, "the camera sees nothing of the mesh.", "Move it."});
    }
    size_t bad = 0;
    for (const auto& colour : picture->field) bad += count_not_finite(colour);
    const Status finite = check_finite(bad, 3 * picture->field.size(), scene->viewport);
    if (!finite) return report(finite.error());
    drawn.psnr = viewport::psnr(picture->field, picture->texture);
    drawn.psnr_is = "field against the mesh's texture, " + std::to_string(picture->field.size()) +
                    " covered pixels, sRGB-encoded values, peak 1";
  }
  print(drawn, o.json);
  return kDone;
}

#else

int render_viewport(const Options&, const OpenGraph&, std::pair<int, int>, const std::shared_ptr<Device>&) {
  return report(Error{codes::no_vulkan, "render", "this program was built without Vulkan.",
                      "Install the Vulkan headers and loader, and build again."});
}

#endif

/// Options that say how a mesh is seen, which a picture has no use for.
Status refuse_mesh_options(const Options& o, const std::string& view) {
  if (o.mesh_options.empty()) return ok();
  return Error{codes::bad_usage, o.mesh_options.front(), view + " is an Image View, which shows no mesh.",
               "Leave it out."};
}

/// The Image View that is meant: --node, or the first one where the graph has no Viewport.
std::optional<ImageViewSources> chosen_image_view(const Graph& graph, const std::string& node) {
  if (!node.empty()) {
    const Node* named = graph.find(node);
    return named ? image_view_of(*named, graph) : std::nullopt;
  }
  return find_viewport(graph) ? std::nullopt : find_image_view(graph);
}

/// A graph's Viewport node comes first; without one, its Image View.
int render(const Options& o) {
  const SceneOptions& scene = o.scene;
  PictureOptions picture{o.out, scene.weights, std::nullopt, o.split, o.compare, o.json};
  if (!o.size.empty()) {
    const auto size = parse_size(o.size);
    if (!size) return report(size.error());
    picture.size = *size;
  }
  auto loaded = noted(open_graph, scene);
  if (!loaded) return report(loaded.error());
  const auto device = noted(field_device, *loaded, scene.device);
  if (!device) return report(device.error());
  const auto files = input_files(*loaded, scene.weights.file);
  if (const Status s = refuse_overwrite(o.out, files); !s) return report(s.error());
  if (const Status s = check_picture_name(o.out); !s) return report(s.error());
  if (!scene.node.empty() && !loaded->graph.find(scene.node))
    return report(no_such_node(loaded->graph, "--node " + scene.node, scene.node));
  if (const auto view = chosen_image_view(loaded->graph, scene.node)) {
    if (const Status s = refuse_mesh_options(o, view->node); !s) return report(s.error());
    return render_image_view(picture, *loaded, *view, *device);
  }
  return render_viewport(o, *loaded, picture.size.value_or(std::pair(800, 600)), *device);
}

/// CLI::Range takes NaN.
CLI::Validator not_nan() {
  return {[](const std::string& text) {
            double value = 0;
            const bool is_nan = CLI::detail::lexical_cast(text, value) && std::isnan(value);
            return is_nan ? std::string("expected a number, got ") + text : std::string();
          },
          ""};
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("render", "Draw what the Viewport or the Image View node shows into a PNG");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, o->scene);
  command->add_option("-o,--output", o->out, "The PNG to write")->required();
  command->add_option("--size", o->size, "WIDTHxHEIGHT in pixels; default 800x600, or the original picture's size");
  command->add_option("--camera", o->camera, "YAW,PITCH,DISTANCE[,FOV]: degrees; distance 1 shows the whole mesh")
      ->capture_default_str();
  add_scene_options(*command, o->scene);
  command->add_option("--view", o->view, "What is shown on the surface")
      ->check(CLI::IsMember(std::vector<std::string>{"field", "wireframe", "normals", "uv", "checker", "texture"}))
      ->capture_default_str();
  command->add_flag("--shader", o->scene.shader, "Compute the field by a shader, on the graphics device that draws");
  command->add_option("--fov", o->fov, "Vertical field of view in degrees; default: the camera's")
      ->check(CLI::Range(5.0, 120.0) & not_nan());
  command->add_option("--background", o->background, "RRGGBB; default: a dark gradient");
  command->add_option("--node", o->scene.node,
                      "The Viewport or Image View node; default: the first Viewport, else the first Image View");
  command
      ->add_option("--split", o->split,
                   "Share of the width, from the left, that shows the mesh's own texture or the original picture")
      ->check(CLI::Range(0.0, 1.0) & not_nan());
  command->add_flag("--compare", o->compare,
                    "Print the PSNR of the field against the mesh's texture or the original picture");
  add_json(*command, o->json);
  command->callback([o, command, &chosen] {
    for (const char* option : {"--camera", "--background", "--view", "--fov", "--shader"})
      if (command->count(option) > 0) o->mesh_options.push_back(option);
    chosen = [o] { return render(*o); };
  });
}

}  // namespace hw::cli::render_command
