// Values that are given to wires and Inputs: "NODE.SOCKET=FILE.npy", "FILE.npz". Their tensors are the caller's, in
// host memory that is freed with the last copy of a Tensor; one that needs no conversion shares it with what it was
// made of.
#pragma once

#include <span>

#include "app/workspace/open_graph.h"

namespace hw::workspace {

struct GivenInput {
  SocketRef socket;
  std::string name, file;  // as they are given
  Tensor value;
};

/// Reads them; of a .npz each array is the value of the wire that it is named after. Notes say which hold NaN. Errors:
/// HW-C001, and those of find_output, read_npy and read_npz. `option`, here and below: by which they are given, see
/// OptionNames.
Result<std::vector<GivenInput>> read_given(const Graph& graph, const std::vector<std::string>& texts,
                                           const std::string& option, Notes& notes);

/// Makes the Inputs of a flat graph what is given: they need no example, and axes that they name symbolic have the
/// size of the array.
void fit_inputs(Graph& graph, const std::vector<GivenInput>& given);

/// Error HW-G001: an Input that `wanted` depends on has neither a value nor an example.
Status check_values(const Graph& graph, const std::string& wanted, const std::string& option);

/// The note of Inputs that `wanted` depend on and that are not given: their examples stand in.
void note_examples(const Graph& graph, std::span<const SocketRef> wanted, const std::vector<GivenInput>& given,
                   const std::string& option, Notes& notes);

/// Their values in the dtypes of the wires of a graph that fit_inputs has changed. Notes say what is converted. Errors:
/// HW-D001, HW-K001, HW-S002: beside symbolic axes, which have the right size by now, only rows N of what is no Input
/// are free.
Result<GivenValues> as_wires(const Graph& graph, std::vector<GivenInput> given, Notes& notes);

/// open_trainable of a graph whose Inputs are what `inputs` give, and these values as its wires carry them, in `given`.
/// Errors: those of open_trainable, read_given and as_wires.
Result<TrainableGraph> open_trainable_with(const GraphRequest& request, const TrainableOptions& how,
                                           const std::vector<std::string>& inputs, GivenValues& given, Notes& notes);

}  // namespace hw::workspace
