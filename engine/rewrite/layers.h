// What rewrite rules need to know about layers, and how they change their weights.
#pragma once

#include "engine/rewrite/rewrite.h"

namespace hw::rewrites {

/// Runs, with parameters of its own that no other node uses.
bool stands_alone(const Graph& flat, const Node& node);
/// Its weights are stored in the dtype that it computes in, f32 or f64, and are not rounded for products: scaled ones
/// are rounded no more often than declared.
bool is_wide(const Node& node);
/// Whether a Conv2d has one tap, each pixel, all channels, no zeros around.
bool is_pointwise(const Node& conv2d);
/// The node that alone reads the output "y" of `node`, by its input "x", or null.
const Node* only_reader(const Graph& flat, const Node& node);
/// The output that the input "x" of a node is wired to.
std::optional<SocketRef> source_of(const Graph& flat, const Node& node);
/// The input "x" of a node as a tensor whose rank is known.
std::optional<Shape> input_shape(const Graph& flat, const Validator& validator, const Node& node);

/// A node of another type in the place of `node`, with its id, and so its weights, at another place.
void replace_type(const Node& node, std::string_view type, ParamMap params, const Node& at, Edits& edits);

/// A parameter, "conv.weight", as numbers. Error HW-F005: it is missing.
Result<std::vector<double>> values_of(const Weights& weights, const std::string& name);
/// Zeros where the node has no bias.
Result<std::vector<double>> bias_of(const Weights& weights, const Node& node, size_t channels);
/// Stores a layer's weight and bias in the dtype of its weight, whose first axis becomes that of the bias.
void store(Weights& weights, const Node& layer, std::span<const double> weight, std::span<const double> bias);
/// `layer`, with a bias, does what `next`, which alone reads it, did: that goes. The weights are the caller's.
Rewrite absorbing(const Node& layer, const Node& next);
/// Under other sizes.
Status reshape(Weights& weights, const std::string& name, const std::function<Dims(const Dims&)>& dims);

}  // namespace hw::rewrites
