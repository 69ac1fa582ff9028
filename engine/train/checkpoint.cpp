#include "engine/train/checkpoint.h"

namespace hw {

namespace {

using Tensors = std::map<std::string, Tensor>;

std::shared_ptr<const Tensors> moved_keys(Tensors tensors, const MovedNodes& moved) {
  move_keys(tensors, moved);
  return std::make_shared<const Tensors>(std::move(tensors));
}

}  // namespace

void move_nodes(Best& best, const MovedNodes& moved) {
  best.weights = moved_keys(*best.weights, moved);
}

void move_nodes(Checkpoint& checkpoint, const MovedNodes& moved) {
  move_keys(checkpoint.states, moved);
  move_keys(checkpoint.begun, moved);
  if (checkpoint.best) move_nodes(*checkpoint.best, moved);
  if (checkpoint.weights) checkpoint.weights = moved_keys(*checkpoint.weights, moved);
}

}  // namespace hw
