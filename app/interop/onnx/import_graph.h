// A model of ONNX as a graph: each operator the nodes of its rule.
#pragma once

#include "app/interop/onnx/importer.h"
#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw::interop {

struct ImportOptions {
  /// Values of inputs that the graph needs as constants, by their names: shapes, axes, weights. An input whose value no
  /// operator needs stays an input.
  std::map<std::string, Tensor> given;
  /// Sizes of symbolic axes while nothing is given, by the symbols of the file, or NAME_AXIS where it has none. Others:
  /// see example_size.
  std::map<std::string, int64_t> sizes;
};

/// An operator without a rule, or one that its rule refuses; a node of the type "onnx:OP" stands in its place.
struct MissingOperator {
  std::string node, op, reason;
  bool follows = false;      // it reads what another missing one was to make: what it says may be for that alone
  bool reads_sizes = false;  // it has a rule, which refuses it as it is: with other sizes it may not
};

struct ImportedModel {
  Graph graph;
  Weights weights;                                         // of the graph's parameters
  std::map<std::string, std::string> inputs;               // name in the file → id of its Input
  std::vector<std::pair<std::string, SocketRef>> outputs;  // name in the file → the wire that makes it
  std::vector<std::string> output_nodes;                   // the graph's Outputs, in the order of the file
  std::vector<MissingOperator> missing;
  std::vector<ScopedNode> nodes;  // without the Outputs, each behind what it reads
  /// Weights of the file that several nodes have, each its own from here on, with the nodes.
  std::map<std::string, std::vector<std::string>> untied_weights;
  std::vector<std::string> notes;  // sentences on what is read in another way than the file says
  size_t dequantized = 0;          // tensors of few bits in the file that are floats here
  /// Symbolic axes whose size is fixed, with it; those whose sizes are multiples of a number; and why: the operator
  /// that wants to know.
  std::map<std::string, int64_t> fixed, multiples;
  std::string fixed_because;
  /// Sizes of symbolic axes with which the missing operators are missing, too. Empty: sizes may not be why.
  std::map<std::string, int64_t> missing_at;
};

/// How a symbolic size is constrained, the freest first.
enum class SizeConstraint { symbolic, multiples, fixed, unfit };
/// `unfit`: it is in missing_at.
SizeConstraint constraint_of(const ImportedModel& model, const std::string& symbol);

/// "fixed sizes, batch=1, because of Reshape: .." or "height a multiple of 2, because of ..". "": neither.
std::string limits_text(const ImportedModel& model);

/// "batch=1, seq=16".
std::string sizes_text(const std::map<std::string, int64_t>& sizes);

/// What is missing in a few lines: operators of one kind and reason together, those that only follow as a number.
std::vector<std::string> missing_lines(const ImportedModel& model);

/// Its nodes have no places: see with_groups and lay_out_nodes. Symbolic axes stay so where all operators do without
/// their sizes; else those that halve and double have multiples of a number, or as few as suffice are fixed, and it
/// says why. Errors: HW-C001, there is no such symbol; an opset before 6; an input of a dtype or kind that Halfwire
/// does not have (HW-R002); HW-R001.
Result<ImportedModel> import_graph(const OnnxModel& model, const ImportOptions& options = {});

}  // namespace hw::interop
