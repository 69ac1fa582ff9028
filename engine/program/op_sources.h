// Which elements of an op's inputs one element of its output is made of.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// Flat indices into one input, row major. `known` false: this op's access is not described (convolutions, grids,
/// samplers); then there are none.
struct ElementSources {
  bool known = false;
  std::vector<int64_t> indices;
};

/// For each input of `instr`, what element `index` of output `out` reads there. In-place ops (updates): the same index
/// of every input with as many elements as the first, and the one number of scalars.
std::vector<ElementSources> sources_of(const Program& program, const Instr& instr, size_t out, int64_t index);

/// Each input is read at one element alone.
bool is_elementwise(const std::vector<ElementSources>& sources);

}  // namespace hw
