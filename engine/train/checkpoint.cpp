#include "engine/train/checkpoint.h"

namespace hw {

void move_nodes(Checkpoint& checkpoint, const MovedNodes& moved) {
  move_keys(checkpoint.states, moved);
  if (!checkpoint.weights) return;
  auto weights = *checkpoint.weights;
  move_keys(weights, moved);
  checkpoint.weights = std::make_shared<const std::map<std::string, Tensor>>(std::move(weights));
}

}  // namespace hw
