// WeightedField: a field evaluator with snapshots of weights, each usable as one function.
#pragma once

#include <mutex>

#include "engine/field/evaluator.h"

namespace hw::app {

/// Shares one evaluator among snapshots: each call makes sure that its own weights are in.
class WeightedField : public std::enable_shared_from_this<WeightedField> {
 public:
  WeightedField(std::shared_ptr<FieldEvaluator> evaluator, uint64_t seed)
      : evaluator_(std::move(evaluator)), seed_(seed) {}
  /// The field with these weights; null: initial ones.
  std::shared_ptr<const ColorField> with(std::shared_ptr<const Weights> weights);

 private:
  std::mutex mutex_;
  std::shared_ptr<FieldEvaluator> evaluator_;
  uint64_t seed_;
  std::shared_ptr<const Weights> held_;
  bool prepared_ = false;
};

}  // namespace hw::app
