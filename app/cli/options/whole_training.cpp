#include "app/cli/options/whole_training.h"

#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"

namespace hw::cli {

void add_options(CLI::App& command, WholeTrainingRequest& o, const std::string& samples) {
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

}  // namespace hw::cli
