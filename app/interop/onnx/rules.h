// How operators of ONNX become nodes: a table a file in ops/.
#pragma once

#include <span>

#include "app/interop/onnx/importer.h"

namespace hw::interop {

/// Makes the operator's nodes and sets its outputs. Error: it cannot, with the reason.
using Rule = Status (*)(Importer&, const OnnxNode&);

struct RuleRow {
  const char* op;
  Rule rule;
};

std::span<const RuleRow> unary_rules();
std::span<const RuleRow> binary_rules();
std::span<const RuleRow> reduce_rules();
std::span<const RuleRow> constant_rules();
std::span<const RuleRow> shape_rules();
std::span<const RuleRow> reshape_rules();
std::span<const RuleRow> pad_rules();
std::span<const RuleRow> part_rules();
std::span<const RuleRow> index_rules();
std::span<const RuleRow> conv_rules();
std::span<const RuleRow> norm_rules();
std::span<const RuleRow> quantize_rules();
std::span<const RuleRow> recurrent_rules();
std::span<const RuleRow> pool_rules();
std::span<const RuleRow> loss_rules();
std::span<const RuleRow> attention_rules();
std::span<const RuleRow> bit_rules();
std::span<const RuleRow> sequence_rules();
std::span<const RuleRow> selection_rules();

constexpr int64_t kMost = 1 << 24;  // elements that are made while a model is read
/// A constant [n] of i64.
Tensor integers_of(const std::vector<int64_t>& values);
/// Sizes as a parameter of a node.
std::vector<double> numbers(const std::vector<int64_t>& whole);
/// Whole numbers that attribute `name` or input i has, in either graph. Error: they follow from what the graph is
/// given.
Result<SizedDims> sizes_in(Importer& im, const OnnxNode& n, const std::string& name, size_t i);

/// The activations of a recurrent layer, spelled as ONNX does: ONNX Runtime takes them in any case. Empty: the usual.
std::vector<std::string> activations_of(const OnnxNode& n);

/// Wires along one axis ("concat"), or along a new one ("stack"). Error: there are none.
Result<Wire> joined(Importer& im, const std::vector<Wire>& parts, int64_t axis, const std::string& type);

/// As a parameter of a node.
std::string dtype_name(const Tensor& t);

/// Null: there is none.
Rule find_rule(const std::string& op);

}  // namespace hw::interop
