#include "app/workspace/whole_training.h"

#include <limits>

namespace hw::workspace {

Result<WholeTraining> whole_training(const WholeTrainingRequest& request, Notes& notes) {
  HW_TRY(const TrainableGraph loaded,
         open_trainable(request, {.seed = request.seed, .pins = Pins::ignored, .checks = true}, notes));
  HW_TRY(std::shared_ptr<const Weights> weights, load_weights_beside(loaded, request.weights, notes));
  const bool smaller = !request.whole && !weights;  // weights of the whole graph fit no other sizes
  const int64_t samples = request.whole ? std::numeric_limits<int64_t>::max() : request.samples;
  return WholeTraining{reduce_graph(loaded.graph, samples, smaller), loaded.assets, std::move(weights)};
}

}  // namespace hw::workspace
