#include "app/cli/options/weights_choice.h"

namespace hw::cli {

void add_mapping(CLI::App& command, WeightsChoice& choice, const std::string& map) {
  choice.map_option = map;
  command
      .add_option(map, choice.map,
                  "Find tensors of other names: by similar name, by shape too, by order too; PARAMETER=TENSOR; or a "
                  ".json file of these")
      ->type_name("name|shape|order|PARAMETER=TENSOR|FILE")
      ->allow_extra_args(false);
  command.add_flag("--convert-dtype", choice.convert, "Convert tensors of other float dtypes to the graph's");
}

CLI::Option* add_weights(CLI::App& command, WeightsChoice& choice, const std::string& help, const std::string& map) {
  CLI::Option* weights = command.add_option("--weights", choice.file, help);
  command
      .add_flag("--partial-weights", choice.partial,
                "Take the weights that fit the graph and list the rest, instead of refusing them all")
      ->needs(weights);
  add_mapping(command, choice, map);
  return weights;
}

}  // namespace hw::cli
