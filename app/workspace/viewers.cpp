#include "app/workspace/viewers.h"

#include <span>

#include "app/workspace/assets.h"
#include "app/workspace/device_choice.h"
#include "engine/backend/backend.h"
#include "engine/devices/devices.h"
#include "engine/field/finite.h"
#include "engine/graph/check/validate.h"
#include "engine/plan/train_settings.h"
#include "engine/plan/write_weights.h"

namespace hw::workspace {

Result<std::shared_ptr<Device>> field_device(const OpenGraph& loaded, const std::string& id, Notes& notes) {
  HW_TRY(std::shared_ptr<Device> device, choose_device(id, loaded.option_names));
  std::string missing;
  for (const auto& [name, node] : loaded.graph.nodes())
    if (!node.device.empty() && !has_device(node.device))
      missing += (missing.empty() ? "" : ", ") + name + " (" + node.device + ")";
  if (!missing.empty())
    add_warning(notes, "the picture is evaluated on the " + device->id() + "; not used: the device of " + missing);
  return device;
}

uint64_t weights_seed(const Graph& graph) {
  const auto trainer = find_trainer(graph);
  return trainer ? train_seed(*graph.find(*trainer)) : 0;
}

Status set_weights(FieldEvaluator& field, const Graph& graph, std::shared_ptr<const Weights> weights, bool partial) {
  for (const std::string& name : weights && !partial ? field.parameters() : std::vector<std::string>()) {
    if (!weights->contains(name)) return missing_parameter(name);
  }
  return field.set_weights(std::move(weights), weights_seed(graph));
}

Result<ImageViewScene> make_image_view(const Graph& graph, const std::shared_ptr<Assets>& assets,
                                       const ImageViewSources& view, std::shared_ptr<Device> device,
                                       std::shared_ptr<const Weights> weights, bool partial) {
  ImageViewScene scene;
  scene.linear = view.linear;
  HW_TRY(const LoweredGraph lowered, lower(graph, std::span(&*view.image, 1), {}, *assets));
  scene.image = std::get<std::shared_ptr<const Image>>(lowered.sockets.at(*view.image));
  if (!view.field) return scene;
  HW_TRY(scene.field, FieldEvaluator::make(graph, *view.field, assets, std::move(device)));
  HW_CHECK(set_weights(*scene.field, graph, std::move(weights), partial));
  return scene;
}

Result<ImageViewScene> load_image_view(const OpenGraph& loaded, const ImageViewSources& view,
                                       const WeightsChoice& weights, std::shared_ptr<Device> device, Notes& notes) {
  HW_CHECK(check_blocking(loaded.graph, loaded.document, view.node, Pins::ignored, notes));
  note_file_warnings(loaded, {view.node}, notes);
  HW_TRY(std::shared_ptr<const Weights> shown, load_weights_to_show(loaded, weights, notes));
  return make_image_view(loaded.graph, loaded.assets, view, std::move(device), std::move(shown), weights.partial);
}

Result<double> image_view_psnr(const ImageViewScene& scene, const std::string& view) {
  HW_TRY(const std::vector<float> colours,
         picture_of(*scene.field, scene.image->width, scene.image->height, scene.linear));
  HW_CHECK(check_finite(count_not_finite(colours), colours.size(), view));
  return psnr_of(colours, *scene.image);
}

Result<std::optional<double>> image_view_psnr(const Graph& graph, const std::shared_ptr<Assets>& assets,
                                              const std::string& device, std::shared_ptr<const Weights> weights) {
  const auto view = find_image_view(graph);
  if (!view || !view->image || !view->field) return std::optional<double>();
  Validator validator;
  validator.reset(graph);
  if (validator.blocking(graph, view->node)) return std::optional<double>();
  HW_TRY(std::shared_ptr<Device> on, choose_device(device, device));
  HW_TRY(const ImageViewScene scene, make_image_view(graph, assets, *view, std::move(on), std::move(weights), false));
  HW_TRY(const double psnr, image_view_psnr(scene, view->node));
  return std::optional(psnr);
}

}  // namespace hw::workspace
