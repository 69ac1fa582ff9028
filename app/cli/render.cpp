// render: the Viewport node's picture, without a window.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/evaluation.h"
#include "app/cli/graph_input.h"
#include "app/cli/report.h"
#include "engine/run/evaluator.h"
#include "engine/run/train_settings.h"
#if HALFWIRE_HAS_VIEWPORT
#include "app/viewport/headless.h"
#endif

namespace hw::cli {
namespace {

struct Options {
  std::string graph, out, weights, size = "800x600", camera = "30,20,1";
  double split = 0;
  bool compare = false;
};

#if HALFWIRE_HAS_VIEWPORT

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

/// What a Viewport node shows.
struct Scene {
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<FieldEvaluator> field;  // null: the mesh's own texture
};

Result<std::string> find_viewport(const Graph& graph) {
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (type && type->decl.role() == Role::viewport && !node.bypassed) return id;
  }
  return Error{codes::missing_input, "viewport", "the graph has no Viewport node.", "Add one and wire a mesh to it."};
}

Result<std::shared_ptr<FieldEvaluator>> make_field(const Options& o, const LoadedGraph& loaded, const SocketRef& from) {
  HW_TRY(std::shared_ptr<FieldEvaluator> field, FieldEvaluator::make(loaded.graph, from, loaded.assets));
  std::shared_ptr<const Weights> weights;
  if (const std::string file = weights_beside(o.graph, o.weights); !file.empty()) {
    HW_TRY(weights, load_weights(file));
  } else {
    std::fprintf(stderr, "note: no weights are given; the picture shows the untrained network\n");
  }
  const auto trainer = find_trainer(loaded.graph);
  const uint64_t seed = trainer ? train_settings(*loaded.graph.find(*trainer)).seed : 0;
  if (weights) {
    for (const std::string& name : field->parameters()) {
      if (!weights->contains(name)) return missing_parameter(name);
    }
  }
  HW_CHECK(field->set_weights(weights, seed));
  return field;
}

Result<Scene> make_scene(const Options& o, const LoadedGraph& loaded, const std::string& viewport) {
  Scene scene;
  const auto link = loaded.graph.links_into(viewport, "mesh").at(0);  // required, so a valid graph has it
  const SocketRef source{link.from, link.from_socket};
  HW_TRY(const LoweredGraph lowered, lower(loaded.graph, std::span(&source, 1), {}, *loaded.assets));
  scene.mesh = std::get<std::shared_ptr<const Mesh>>(lowered.sockets.at(source));
  if (const auto field = loaded.graph.links_into(viewport, "field"); !field.empty()) {
    HW_TRY(scene.field, make_field(o, loaded, {field[0].from, field[0].from_socket}));
  }
  return scene;
}

bool has_texture(const Mesh& mesh) {
  return !mesh.uvs.empty() &&
         std::any_of(mesh.parts.begin(), mesh.parts.end(), [](const MeshPart& p) { return p.texture != nullptr; });
}

viewport::FieldEvaluator as_function(std::shared_ptr<FieldEvaluator> field) {
  if (!field) return {};
  return [field](auto positions, auto normals) -> Result<std::vector<std::array<float, 3>>> {
    HW_TRY(const std::vector<float> flat, field->evaluate(positions, normals));
    std::vector<std::array<float, 3>> colours(positions.size());
    assert(flat.size() == 3 * colours.size());
    std::memcpy(colours.data(), flat.data(), flat.size() * sizeof(float));
    return colours;
  };
}

int render(const Options& o) {
  const auto size = parse_size(o.size);
  if (!size) return report(size.error());
  auto camera = viewport::Camera::parse(o.camera);
  if (!camera) return report(camera.error());
  if (const Status s = refuse_overwrite(o.out, {o.graph, o.weights}); !s) return report(s.error());
  auto loaded = load_graph(o.graph);
  if (!loaded) return report(loaded.error());
  const auto viewport_node = find_viewport(loaded->graph);
  if (!viewport_node) return report(viewport_node.error());
  if (report_blocking(loaded->graph, *viewport_node)) return kGraphErrors;
  const auto scene = make_scene(o, *loaded, *viewport_node);
  if (!scene) return report(scene.error());
  if (o.compare && (!scene->field || !has_texture(*scene->mesh))) {
    return report(Error{codes::asset_lacks, *viewport_node, "--compare needs a field and a mesh with a texture.",
                        "Wire a field to the Viewport, or leave --compare out."});
  }

  const auto [width, height] = *size;
  camera->frame(scene->mesh->bounds_min, scene->mesh->bounds_max, camera->distance,
                static_cast<float>(width) / static_cast<float>(height));
  viewport::RenderOptions options;
  options.compose.split = static_cast<float>(o.split);
  const auto picture =
      viewport::render_headless(*scene->mesh, *camera, width, height, as_function(scene->field), options);
  if (!picture) return report(picture.error());
  if (const Status saved = save_png(picture->image, o.out); !saved) return report(saved.error());
  std::printf("%s: %d × %d pixels\n", o.out.c_str(), width, height);
  if (o.compare) {
    if (picture->field.empty()) {
      return report(Error{codes::asset_lacks, *viewport_node, "the camera sees nothing of the mesh.", "Move it."});
    }
    const auto bad = std::count_if(picture->field.begin(), picture->field.end(), [](const auto& c) {
      return !std::isfinite(c[0]) || !std::isfinite(c[1]) || !std::isfinite(c[2]);
    });
    if (bad > 0) {
      return report(Error{codes::not_finite, *viewport_node,
                          "the field is NaN or infinite at " + std::to_string(bad) + " of " +
                              std::to_string(picture->field.size()) + " covered pixels.",
                          "Train again from good weights."});
    }
    std::printf("PSNR %.2f dB: field against the mesh's texture, %zu covered pixels, sRGB-encoded values, peak 1\n",
                viewport::psnr(picture->field, picture->texture), picture->field.size());
  }
  return kDone;
}

#else

int render(const Options&) {
  return report(Error{codes::no_vulkan, "render", "this program was built without Vulkan.",
                      "Install the Vulkan headers and loader, and build again."});
}

#endif

}  // namespace

void add_render(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("render", "Draw what the Viewport node shows into a PNG");
  auto o = std::make_shared<Options>();
  command->add_option("graph", o->graph, "A .halfwire file")->required();
  command->add_option("-o,--output", o->out, "The PNG to write")->required();
  command->add_option("--size", o->size, "WIDTHxHEIGHT in pixels")->capture_default_str();
  command->add_option("--camera", o->camera, "YAW,PITCH,DISTANCE[,FOV]: degrees; distance 1 shows the whole mesh")
      ->capture_default_str();
  command->add_option("--weights", o->weights, "Default: GRAPH.safetensors beside the graph, else initial weights");
  command->add_option("--split", o->split, "Share of the width, from the left, that shows the mesh's own texture")
      ->check(CLI::Range(0.0, 1.0));
  command->add_flag("--compare", o->compare, "Print the PSNR of the field against the mesh's texture");
  command->callback([o, &chosen] { chosen = [o] { return render(*o); }; });
}

}  // namespace hw::cli
