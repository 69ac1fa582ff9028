#include "app/cli/weights_choice.h"

#include <cstdio>
#include <filesystem>

#include "engine/graph/fit_weights.h"
#include "engine/io/weights_file.h"

namespace hw::cli {

CLI::Option* add_weights(CLI::App& command, WeightsChoice& choice, const std::string& help) {
  CLI::Option* weights = command.add_option("--weights", choice.file, help);
  command
      .add_flag("--partial-weights", choice.partial,
                "Take the weights that fit the graph and list the rest, instead of refusing them all")
      ->needs(weights);
  return weights;
}

Result<std::shared_ptr<const Weights>> load_weights(const WeightsChoice& choice, const Graph& graph) {
  if (choice.file.empty()) return std::shared_ptr<const Weights>();
  HW_TRY(WeightsFile read, read_weights(choice.file));
  Validator validator;
  validator.reset(graph);
  FittedWeights fitted = fit_weights(graph, validator, std::move(read.tensors),
                                     choice.partial ? WeightsTaken::what_fits : WeightsTaken::all_or_nothing);
  if (!fitted.problems.empty()) return as_error(fitted.problems);
  for (const std::string& note : fitted.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  return std::shared_ptr<const Weights>(std::make_shared<Weights>(converted(std::move(fitted))));
}

Result<std::string> weights_beside(const LoadedGraph& loaded, const std::string& file) {
  if (!file.empty()) return file;
  std::filesystem::path beside(loaded.file);
  beside.replace_extension(".safetensors");
  std::error_code ec;
  if (!std::filesystem::is_regular_file(beside, ec)) return std::string();
  HW_CHECK(loaded.assets->reach().check(beside, beside.string()));
  return beside.string();
}

Result<std::shared_ptr<const Weights>> load_weights_beside(const LoadedGraph& loaded, const WeightsChoice& choice) {
  HW_TRY(const std::string file, weights_beside(loaded, choice.file));
  return load_weights({file, choice.partial}, loaded.graph);
}

}  // namespace hw::cli
