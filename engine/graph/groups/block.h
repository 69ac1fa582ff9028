// Blocks: groups in files of their own, as a library has them. Such a file is a graph like any other, with one instance
// between Inputs and Outputs: it is validated, run and opened as they are.
#pragma once

#include "engine/graph/edit.h"
#include "engine/node/wire.h"

namespace hw {

/// The group that a block is: that of the one instance in the file. Error HW-G010: there is none, or several.
Result<const Group*> block_of(const Graph& file);

/// The file of a group of a document, with the groups that it uses. Its Inputs have example data of these types, by
/// socket; others the usual.
Graph block_file(const Graph& document, const Group& group, const std::map<std::string, WireType>& inputs);

struct AdoptedBlock {
  Edits edits;        // of the document: what it does not have yet
  std::string group;  // id there
};
/// A block as a group of the document: the one that is there where it is the same, else a new one.
Result<AdoptedBlock> adopt_block(const Graph& document, const Graph& file);

}  // namespace hw
