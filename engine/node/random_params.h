// The parameters that NodeDecl::random declares: from which seed, stream and step a node draws.
#pragma once

#include "engine/node/node_type.h"

namespace hw {

/// The draws of a node according to its parameters.
struct RandomParams {
  bool draws = false;                 // the node draws random numbers
  std::string name;                   // of its stream
  std::optional<uint64_t> seed = {};  // none: the run's
  std::optional<uint64_t> step = {};  // from 0; none: the run's
  /// What the node's first random op draws from; others of the node have streams of their own, of the same seed and
  /// step.
  RandomStream stream() const { return {stream_of(name), seed, step}; }
  /// Something is not as it would be by itself.
  bool fixed(std::string_view node_id) const { return draws && (seed || step || name != node_id); }
};

/// For parameters as they stand in a document: one of a wrong kind counts as not given.
RandomParams random_params(const NodeDecl& decl, const ParamMap& params, std::string_view node_id);

/// What a builder's random ops draw from, from now on until its next set_node.
void set_random(OpBuilder& builder, const RandomParams& random);

}  // namespace hw
