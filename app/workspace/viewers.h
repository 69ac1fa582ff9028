// What viewers show, without a window: a field with its weights, an Image View's picture.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/workspace/weights.h"
#include "engine/field/picture.h"
#include "engine/plan/weights.h"

namespace hw::workspace {

/// The device that evaluates what viewers of an open graph show. Nodes pinned to one that is not here run there, too,
/// with a warning. Errors: those of choose_device.
Result<std::shared_ptr<Device>> field_device(const OpenGraph& loaded, const std::string& id, Notes& notes);
/// The Train node's seed, for initial weights; 0 where there is no Train node.
uint64_t weights_seed(const Graph& graph);
/// Gives a field its weights; null: initial ones for the Train node's seed, as for those that `partial` weights lack.
/// Error HW-F005: they lack a parameter of the field.
Status set_weights(FieldEvaluator& field, const Graph& graph, std::shared_ptr<const Weights> weights, bool partial);

/// An Image View's original, and the field over it with its weights set.
struct ImageViewScene {
  std::shared_ptr<const Image> image;
  std::shared_ptr<FieldEvaluator> field;  // null: the original alone
  bool linear = false;
};
/// `device`: the field's alone from now on. `weights` null: initial ones for the Train node's seed, as for those that
/// `partial` weights lack. Errors: assets, HW-G007, HW-F005.
Result<ImageViewScene> make_image_view(const Graph& graph, const std::shared_ptr<Assets>& assets,
                                       const ImageViewSources& view, std::shared_ptr<Device> device,
                                       std::shared_ptr<const Weights> weights, bool partial);

/// The same of an open graph, with weights as load_weights_to_show. Notes: errors in the view's cone, which are the
/// error then, and what its files lack. Errors: those of check_blocking, load_weights_to_show and make_image_view.
Result<ImageViewScene> load_image_view(const OpenGraph& loaded, const ImageViewSources& view,
                                       const WeightsChoice& weights, std::shared_ptr<Device> device, Notes& notes);

/// PSNR in dB of the field, which is not null, against the original, all pixels. Error HW-R003 at `view`, the node's
/// id.
Result<double> image_view_psnr(const ImageViewScene& scene, const std::string& view);
/// PSNR in dB of the first Image View's field, evaluated on `device`, against its original, all pixels; nothing where
/// the graph has none.
Result<std::optional<double>> image_view_psnr(const Graph& graph, const std::shared_ptr<Assets>& assets,
                                              const std::string& device, std::shared_ptr<const Weights> weights);

}  // namespace hw::workspace
