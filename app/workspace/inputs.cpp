#include "app/workspace/inputs.h"

#include <algorithm>

#include "engine/core/fit_dtype.h"
#include "engine/core/magnitudes.h"
#include "engine/core/nearest_names.h"
#include "engine/core/place_text.h"
#include "engine/graph/check/check_upstream.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/npz.h"

namespace hw::workspace {
namespace {

constexpr size_t kMostListed = 6;

/// The given array in the wire's dtype, converted where it has another, with a note on what that changes.
Result<Tensor> as_wire(Tensor tensor, const std::optional<WireType>& wire, const std::string& name_of_wire,
                       bool free_rows, Notes& notes) {
  if (!wire) return tensor;
  if (wire->kind != Kind::tensor)
    return Error{codes::kind_mismatch, name_of_wire,
                 "this wire carries a " + std::string(name(wire->kind)) + ", not a tensor.", "Name a tensor."};
  // Rows are free, so that a pipeline can be asked about any number of them; every other axis is the wire's.
  const Shape& shape = wire->shape;
  bool fits = tensor.dims().size() == shape.rank();
  for (size_t i = 0; fits && i < shape.rank(); ++i) {
    fits = !shape[i].known() || shape[i].size == tensor.dims()[i] || (free_rows && i == 0 && shape[i].name == "N");
  }
  if (!fits) {
    return Error{codes::size_mismatch, name_of_wire,
                 "the wire carries " + to_string(shape) + ", the array is " + to_string(tensor.dims()) + ".",
                 free_rows ? "Save the array with the wire's axes; only the number of rows N is free."
                           : "Save the array with the Input's axes; only those that it names symbolic are free."};
  }
  HW_TRY(FittedTensor fitted, fit_dtype(tensor, wire->dtype, name_of_wire));
  if (!fitted.note.empty()) add_note(notes, name_of_wire + ": " + fitted.note);
  return std::move(fitted.tensor);
}

}  // namespace

Result<std::vector<GivenInput>> read_given(const Graph& graph, const std::vector<std::string>& texts,
                                           const std::string& option, Notes& notes) {
  std::vector<GivenInput> given;
  const auto give = [&](const std::string& text, GivenInput input) -> Status {
    HW_TRY(input.socket, find_output(graph, input.name, option, kInputType));
    if (std::ranges::find(given, input.socket, &GivenInput::socket) != given.end())
      return Error{codes::bad_usage, by_option(option, text), "this socket's values are given twice.",
                   "Give one file to each."};
    // An Inf may be meant, as in a mask; a NaN hardly ever is.
    if (const Magnitudes m = magnitudes_of(input.value); m.nans > 0)
      add_note(notes, by_option(option, text) + " holds " + std::to_string(m.nans) +
                          " NaN; the first Inf or NaN is at " + place_text(m.first_bad, input.value.dims()));
    given.push_back(std::move(input));
    return ok();
  };
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == text.npos && text.ends_with(".npz")) {
      HW_TRY(auto arrays, read_npz(text));
      for (auto& [name, array] : arrays) HW_CHECK(give(text, {{}, name, text, std::move(array)}));
      continue;
    }
    if (equals == text.npos || equals + 1 == text.size())
      return Error{codes::bad_usage, by_option(option, text), "expected NODE.SOCKET=FILE.npy, or a FILE.npz.",
                   "For example: cast.y=x.npy"};
    GivenInput input{{}, text.substr(0, equals), text.substr(equals + 1), {}};
    HW_CHECK(find_output(graph, input.name, option, kInputType));
    HW_TRY(input.value, read_npy(input.file));
    HW_CHECK(give(text, std::move(input)));
  }
  return given;
}

void fit_inputs(Graph& graph, const std::vector<GivenInput>& given) {
  GivenSizes sizes;
  for (const GivenInput& input : given) sizes[input.socket] = input.value.dims();
  hw::fit_inputs(graph, sizes);
}

Status check_values(const Graph& graph, const std::string& wanted, const std::string& option) {
  Validator validator;
  validator.reset(graph);
  const Diagnostic* first = validator.blocking(graph, wanted);
  const Node* node = first ? graph.find(first->node) : nullptr;
  const bool in_group = node && node->id.find('/') != node->id.npos;
  if (!node || node->type != kInputType || in_group || first->code != codes::missing_input) return ok();
  return Error{
      codes::missing_input, node->id, "its value is not given, and it has no example.",
      (option.empty() ? "Give it" : "Give it, " + option + " " + node->id + "=FILE.npy,") + " or choose an example."};
}

void note_examples(const Graph& graph, std::span<const SocketRef> wanted, const std::vector<GivenInput>& given,
                   const std::string& option, Notes& notes) {
  std::unordered_set<std::string> needed;
  for (const SocketRef& socket : wanted) needed.merge(upstream_nodes(graph, socket.node));
  for (const GivenInput& input : given) needed.erase(input.socket.node);
  std::vector<std::string> names;
  for (const auto& [id, node] : graph.nodes())
    if (needed.contains(id) && is_graph_input(graph, node))
      names.push_back(id + " (" + std::get<std::string>(param_value(node, "example")) + ")");
  if (!names.empty())
    add_note(notes, "example data stands in for what is not given: " + listed(names, kMostListed) +
                        (option.empty() ? "" : "; " + option + " NAME=FILE.npy gives it"));
}

Result<GivenValues> as_wires(const Graph& graph, std::vector<GivenInput> given, Notes& notes) {
  Validator validator;
  validator.reset(graph);
  GivenValues values;
  for (GivenInput& input : given) {
    const Node* node = graph.find(input.socket.node);
    const auto type = validator.output_type(input.socket.node, input.socket.socket);
    const bool free_rows = !node || !is_graph_input(graph, *node);
    HW_TRY(values[input.socket], as_wire(std::move(input.value), type, input.name, free_rows, notes));
  }
  return values;
}

Result<TrainableGraph> open_trainable_with(const GraphRequest& request, const TrainableOptions& how,
                                           const std::vector<std::string>& inputs, GivenValues& given, Notes& notes) {
  HW_TRY(OpenGraph loaded, open_graph(request, notes));
  HW_TRY(std::vector<GivenInput> read, read_given(loaded.graph, inputs, request.option_names.input, notes));
  fit_inputs(loaded.graph, read);
  HW_TRY(TrainableGraph trainable, as_trainable(std::move(loaded), how, notes));
  HW_TRY(given, as_wires(trainable.graph, std::move(read), notes));
  return trainable;
}

}  // namespace hw::workspace
