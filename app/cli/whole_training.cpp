#include "app/cli/whole_training.h"

#include <limits>

#include "app/cli/report.h"
#include "app/cli/weights_choice.h"
#include "engine/plan/train_settings.h"

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
  add_weights(command, o.weights, kWeightsBesideHelp);
}

std::optional<WholeTraining> whole_training(const WholeTrainingOptions& o, int& exit) {
  const auto refused = [&](const Error& error) {
    exit = report(error);
    return std::nullopt;
  };
  auto loaded = load_trainable(o, {.seed = o.seed, .pins = Pins::ignored});
  if (!loaded) return refused(loaded.error());
  const auto file = weights_beside(*loaded, o.weights.file);
  if (!file) return refused(file.error());
  const bool smaller = !o.whole && file->empty();  // weights of the whole graph fit no other sizes
  const int64_t samples = o.whole ? std::numeric_limits<int64_t>::max() : o.samples;
  WholeTraining training{reduce_graph(loaded->graph, samples, smaller), loaded->assets, nullptr};
  if (!file->empty()) {
    auto weights = load_weights({*file, o.weights.partial}, training.reduced.graph);
    if (!weights) return refused(weights.error());
    training.weights = *weights;
  }
  return training;
}

}  // namespace hw::cli
