// Nodes that take any number of inputs: a, b, c, .. z, aa, ab, ..
#pragma once

#include "engine/node/shapes.h"

namespace hw::shapes {

/// Declares `inputs`: how many there are, from 2 to 256.
void declare_input_count(NodeDecl& d);
/// The ids of `count` sockets: those of a spreadsheet's columns.
std::vector<std::string> input_ids_up_to(size_t count);
/// As many ids as the parameter `inputs` says.
std::vector<std::string> input_ids(const Params& p);
/// Adds the sockets: all of the dtype group T, the first two required.
void add_inputs(NodeDecl& d, const Params& p, const std::vector<DType>& dtypes = {});
/// "a is [2, 3], this is [4, 3]."
std::string beside_first(const Shape& first, const Shape& shape);

}  // namespace hw::shapes
