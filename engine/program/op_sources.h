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

/// The request, an element of an output, and the result for each input.
struct SourcesCall {
  const Program& program;
  const Instr& instr;
  const size_t out;
  const int64_t index;
  std::vector<ElementSources> sources = std::vector<ElementSources>(instr.in.size());

  const Dims& dims(size_t k) const { return program[instr.in[k]].dims; }
  const Dims& out_dims() const { return program[instr.out[out]].dims; }
};
using SourcesRule = void (*)(SourcesCall&);

namespace sources {
void not_described(SourcesCall&);  // ElementSources::known is false
void elementwise(SourcesCall&);    // stretched by broadcasting
void in_place(SourcesCall&);       // of updates
void reshape(SourcesCall&);
void transpose(SourcesCall&);
void slice(SourcesCall&);
void matmul(SourcesCall&);
void matmul_tn(SourcesCall&);
void fold(SourcesCall&);
void softmax(SourcesCall&);
}  // namespace sources

/// Element i of the output is made of element i of each input alone, stretched by broadcasting.
bool is_elementwise(Op op);
/// Element i of the only output is made of element i of each input, or of its only number: wherever the elements lie.
/// Not where i itself matters, to numbers drawn or factors along an axis; nor broadcast_to, which copies runs.
bool is_pointwise(const Program& program, const Instr& instr);

/// For each input of `instr`, what element `index` of output `out` reads there. In-place ops (updates): the same index
/// of every input with as many elements as the first, and the one number of scalars.
std::vector<ElementSources> sources_of(const Program& program, const Instr& instr, size_t out, int64_t index);

/// Each input is read at one element alone.
bool reads_single_elements(const std::vector<ElementSources>& sources);

}  // namespace hw
