#include "engine/train/initialise_update_counts.h"

#include <algorithm>

#include "engine/kernels/optimisers.h"
#include "engine/plan/training_plan.h"

namespace hw {

Status initialise_update_counts(States& states, const std::string& param, uint64_t updates,
                                std::vector<std::string>* notes) {
  const std::vector<double> first = states.read(param + kFirstMoment).to_f64();
  const std::vector<double> second = states.read(param + kSecondMoment).to_f64();
  const auto t = static_cast<uint16_t>(std::min<uint64_t>(updates, kernels::kMostUpdates));
  Tensor counts = Tensor::zeros(DType::u8, {2 * static_cast<int64_t>(first.size())});
  auto* bytes = counts.as<uint8_t>();
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] == 0 && second[i] == 0) continue;
    bytes[2 * i] = static_cast<uint8_t>(t & 255);
    bytes[2 * i + 1] = static_cast<uint8_t>(t >> 8);
  }
  if (notes)
    notes->push_back(param + ": the updates of its elements were not counted so far; those that have moments count " +
                     std::to_string(t) + ", the others none.");
  return states.write(param + kUpdates, counts);
}

}  // namespace hw
