// Ways to find the tensors of parameters by where they stand: layers, sizes, order. Each takes what is open in the
// table from what is left.
#pragma once

#include "engine/graph/weights/weight_table.h"

namespace hw {

/// Layers of the only recurrent module that the file has, by their numbers, where as many nodes follow each other.
void map_by_layer(WeightTable& table);

/// As many tensors as parameters of one kind. `most`: at most so many of them are distinguished by their order.
void map_by_kind(WeightTable& table, size_t most, MappedBy by);

/// An embedding's table and the layer that makes scores of it share a weight that is stored once: a matrix without a
/// tensor, of whose sizes none is left, has that of the only other parameter of them, where one of the two is a
/// table.
void map_by_tie(WeightTable& table);

/// Takes back what was found so where it tears modules apart: the tensors of a node belong to one module, and by
/// order those of a module to one node.
void keep_modules_together(WeightTable& table, MappedBy by);

}  // namespace hw
