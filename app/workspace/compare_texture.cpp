#include "app/workspace/compare_texture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "app/workspace/viewers.h"
#include "engine/devices/devices.h"
#include "engine/evaluate/evaluation.h"
#include "engine/field/finite.h"
#include "engine/io/media/image_bytes.h"

namespace hw::workspace {
namespace {

constexpr int64_t kSurfacePoints = 65'536;

size_t texels_of(const Image& image) {
  return static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
}

Status check_texels(size_t texels, const std::string& viewer) {
  if (texels <= TextureComparison::kMostTexels) return ok();
  return Error{codes::asset_lacks, viewer,
               "the texture has " + std::to_string(texels) + " texels, and up to " +
                   std::to_string(TextureComparison::kMostTexels) + " are compared.",
               "Draw it: render --compare"};
}

Status add_texture(const Image& image, TextureComparison& compared) {
  HW_TRY(const std::string png, encode_png(image, compared.viewer));
  compared.png_bytes += png.size();
  compared.bc7_bytes += static_cast<size_t>((image.width + 3) / 4) * static_cast<size_t>((image.height + 3) / 4) * 16;
  return ok();
}

using Rows = std::vector<std::array<float, 3>>;

struct SurfaceSamples {
  Rows positions, normals, colours;
};

Rows rows_of(const Tensor& tensor) {
  const auto* rows = tensor.as<std::array<float, 3>>();
  return {rows, rows + tensor.dims()[0]};
}

/// Random points of the mesh that the output `source` gives.
Result<SurfaceSamples> samples_of(const OpenGraph& loaded, const SocketRef& source) {
  Graph graph = loaded.graph;
  Node sampler;
  sampler.type = "surface_sampler";
  sampler.id = graph.fresh_id(sampler.type);
  sampler.params["points"] = kSurfacePoints;
  HW_CHECK(apply_edits(graph, {AddNode{sampler}, AddLink{{source.node, source.socket, sampler.id, "mesh"}}}));
  const SocketRef wires[] = {{sampler.id, "position"}, {sampler.id, "normal"}, {sampler.id, "color"}};
  HW_TRY(std::shared_ptr<Device> device, make_device("cpu"));
  HW_TRY(Evaluation evaluation, Evaluation::make(graph, wires, *loaded.assets, std::move(device)));
  HW_CHECK(evaluation.set_weights(nullptr, 0));
  HW_CHECK(evaluation.run());
  HW_TRY(const std::vector<Tensor> read, evaluation.read_all());
  return SurfaceSamples{rows_of(read[0]), rows_of(read[1]), rows_of(read[2])};
}

double surface_psnr(const Rows& colours, const Rows& original) {
  double sum = 0;
  for (size_t i = 0; i < colours.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) {
      const double d = std::clamp(double{colours[i][c]}, 0.0, 1.0) - double{original[i][c]};
      sum += d * d;
    }
  }
  return -10 * std::log10(sum / static_cast<double>(3 * colours.size()));
}

using Compared = std::optional<TextureComparison>;  // nothing: there is no texture

Result<Compared> compared_with_mesh(const OpenGraph& loaded, const Node& viewport, const Field& shown,
                                    std::shared_ptr<const Weights> weights, bool partial) {
  const auto links = loaded.graph.links_into(viewport.id, "mesh");
  if (links.empty()) return Compared();
  const SocketRef source{links[0].from, links[0].from_socket};
  HW_TRY(const LoweredGraph lowered, lower(loaded.graph, std::span(&source, 1), {}, *loaded.assets));
  const auto mesh = std::get<std::shared_ptr<const Mesh>>(lowered.sockets.at(source));
  std::set<std::shared_ptr<const Image>> textures;
  for (const MeshPart& part : mesh->parts)
    if (part.texture && !mesh->uvs.empty()) textures.insert(part.texture);
  if (textures.empty()) return Compared();

  TextureComparison compared;
  compared.viewer = viewport.id;
  for (const auto& texture : textures) compared.texels += texels_of(*texture);
  HW_CHECK(check_texels(compared.texels, viewport.id));
  HW_TRY(std::shared_ptr<Device> device, make_device("cpu"));
  HW_TRY(const std::shared_ptr<FieldEvaluator> field,
         FieldEvaluator::make(loaded.graph, shown, loaded.assets, std::move(device)));
  HW_CHECK(set_weights(*field, loaded.graph, std::move(weights), partial));
  HW_TRY(const SurfaceSamples samples, samples_of(loaded, source));
  HW_TRY(const Rows colours, evaluate_colors(*field, samples.positions, samples.normals));
  size_t bad = 0;
  for (const auto& colour : colours) bad += count_not_finite(colour);
  HW_CHECK(check_finite(bad, 3 * colours.size(), viewport.id));
  compared.psnr = surface_psnr(colours, samples.colours);
  compared.psnr_is = "the field's colours against the mesh's at " + std::to_string(kSurfacePoints) +
                     " points of its surface, sRGB-encoded, peak 1";
  for (const auto& texture : textures) HW_CHECK(add_texture(*texture, compared));
  return Compared(std::move(compared));
}

Result<Compared> compared_with_picture(const OpenGraph& loaded, const ImageViewSources& view,
                                       std::shared_ptr<const Weights> weights, bool partial) {
  HW_TRY(std::shared_ptr<Device> device, make_device("cpu"));
  HW_TRY(const ImageViewScene scene,
         make_image_view(loaded.graph, loaded.assets, view, std::move(device), std::move(weights), partial));
  TextureComparison compared;
  compared.viewer = view.node;
  compared.texels = texels_of(*scene.image);
  HW_CHECK(check_texels(compared.texels, view.node));
  HW_TRY(compared.psnr, image_view_psnr(scene, view.node));
  compared.psnr_is = "the field's colours against all pixels of the picture, sRGB-encoded, peak 1";
  HW_CHECK(add_texture(*scene.image, compared));
  return Compared(std::move(compared));
}

}  // namespace

Result<std::optional<TextureComparison>> compare_with_texture(const OpenGraph& loaded, const SocketRef& wire,
                                                              std::shared_ptr<const Weights> weights, bool partial) {
  Validator validator;
  validator.reset(loaded.graph);
  std::optional<Error> first_error;
  for (const auto& [id, node] : loaded.graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || node.bypassed || validator.blocking(loaded.graph, id, Pins::ignored)) continue;
    Result<Compared> compared = Compared();
    if (const auto view = image_view_of(node, loaded.graph)) {
      if (view->image && view->field && view->field->from == wire)
        compared = compared_with_picture(loaded, *view, weights, partial);
    } else if (type->decl.role() == Role::viewport) {
      const auto shown = field_into(loaded.graph, node);
      if (shown && shown->from == wire) compared = compared_with_mesh(loaded, node, *shown, weights, partial);
    }
    if (compared && *compared) return compared;
    if (!compared && !first_error) first_error = compared.error();
  }
  if (first_error) return *first_error;
  return Compared();
}

double bits_per_texel(size_t bytes, size_t texels) {
  return 8 * static_cast<double>(bytes) / static_cast<double>(texels);
}

}  // namespace hw::workspace
