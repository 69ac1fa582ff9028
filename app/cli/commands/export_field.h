// export --field: a wire that depends on where a point lies, as a shader.
#pragma once

#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"

namespace hw::cli {

struct FieldExport {
  GraphRequest graph;
  std::string wire;                 // NODE.SOCKET
  std::vector<std::string> points;  // wires that become variables of the function
  std::string out;
  WeightsChoice weights;
  bool json = false;
};

/// Writes `out` and, beside it, the weights as .bin, where there are any; replaces no file. The exit code.
int export_field(const FieldExport& o);

}  // namespace hw::cli
