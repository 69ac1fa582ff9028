// What is known of the nodes of a program that ran: kernels, time, memory.
#pragma once

#include "engine/instrument/node_kernels.h"

namespace hw {

/// Bytes.
struct NodeMemory {
  size_t outputs = 0;     // what its forward pass hands on to other nodes, or out of the program
  size_t parameters = 0;  // its own, as stored, without masters and the optimiser's state
  size_t total() const { return outputs + parameters; }
};
/// By node; of nodes that make values or have parameters.
std::map<std::string, NodeMemory> node_memory_of(const Program& program);

struct NodeFacts {
  NodeKernels kernels;
  double ms = 0;  // of the last run, all its instructions; 0: not measured
  NodeMemory memory;
};
/// By node, after a run of a forward program, with its timings since they were reset. Nodes without instructions are
/// left out.
std::map<std::string, NodeFacts> node_facts_of(const Program& program, const Executable& executable);

}  // namespace hw
