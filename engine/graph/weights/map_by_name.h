// Ways to find the tensors of parameters by their names; each takes what is open in the table from what is left.
#pragma once

#include "engine/graph/weights/published_names.h"
#include "engine/graph/weights/weight_table.h"

namespace hw {

/// `given`: parameter to tensor, "x^T" for its transpose. A tensor may be given to several.
void map_by_given(WeightTable& table, const std::map<std::string, std::string>& given);

/// `tensor_of`: what reading the file takes for each parameter.
void map_by_name(WeightTable& table, const std::map<std::string, std::string>& tensor_of);

/// By the table of a published network, unless the file has all names that the graph expects. Returns which network.
PublishedNames map_by_network(WeightTable& table);

/// Blocks of the library by the names inside them.
void map_by_block(WeightTable& table);

/// The names of the file are those that the graph expects, but for what stands before all of them: "module.", of one
/// or of the other. The prefix that most names have in common.
/// `whole`: only one that all names have, while not all of them are there without it.
void map_by_prefix(WeightTable& table, bool whole);

/// Pairs of one kind where the words of one end with those of the other, and neither has another such partner.
void map_by_similar_name(WeightTable& table);

/// Takes back pairs of similar names where one parameter and one tensor are left whose names differ from those of the
/// pair in numbers alone: their numbers are counted otherwise, "layers.2" is the second of layers.0, layers.2 ….
void release_torn_families(WeightTable& table);

/// Nodes of groups by the module that the group is: the only tensor of the parameter's sizes that has the module's
/// words among its own, which no other parameter of these sizes could be.
void map_by_module(WeightTable& table);

}  // namespace hw
