#include "app/cli/whole_training.h"

#include <limits>

#include "app/cli/weights_choice.h"

namespace hw::cli {

void add_options(CLI::App& command, WholeTrainingOptions& o, const std::string& samples) {
  add_graph_options(command, o);
  command.add_option("--steps", o.steps, "Training steps")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000}));
  command.add_option("--samples", o.samples, samples)
      ->capture_default_str()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.add_flag("--whole", o.whole, "The graph as it is: all samples, tables of full size");
  command.add_option("--seed", o.seed, "Instead of the Train node's")->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  add_weights(command, o.weights, kWeightsBesideHelp, "--map-weights");
}

Result<WholeTraining> whole_training(const WholeTrainingOptions& o) {
  HW_TRY(const TrainableGraph loaded, load_trainable(o, {.seed = o.seed, .pins = Pins::ignored, .checks = true}));
  HW_TRY(std::shared_ptr<const Weights> weights, load_weights_beside(loaded, o.weights));
  const bool smaller = !o.whole && !weights;  // weights of the whole graph fit no other sizes
  const int64_t samples = o.whole ? std::numeric_limits<int64_t>::max() : o.samples;
  return WholeTraining{reduce_graph(loaded.graph, samples, smaller), loaded.assets, std::move(weights)};
}

}  // namespace hw::cli
