// Candidate: what could be added to a graph, a node of a type or an instance of a group, and where a wire fits in it.
#pragma once

#include "engine/graph/check/validate.h"

namespace hw {

/// What its sockets take and give with the parameters that it begins with.
struct Candidate {
  struct Input {
    std::string id;
    Kind kind = Kind::tensor;
    bool any_kind = false;
    std::vector<std::pair<Node, std::string>> readers;  // nodes that a wire into it comes to, and by which socket
  };
  struct Output {
    std::string id;
    Kind kind = Kind::tensor;
    bool any_kind = false;
    std::optional<std::vector<DType>> dtypes;  // nothing: any
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;

  Candidate() = default;
  /// A node of this type with its defaults.
  Candidate(const NodeType& type);
  /// An instance of this group. `definitions` has the groups that it uses.
  Candidate(const Graph& definitions, const Group& group);
};

/// The id of its first socket that could be wired to `socket` of `node`. `socket_is_output`: says on which side
/// `socket` is. Nothing: none fits.
std::optional<std::string> fitting_socket(const Graph& graph, const Validator& validator, std::string_view node,
                                          std::string_view socket, bool socket_is_output, const Candidate& candidate);

struct FitByCast {
  std::string socket;
  DType to;
  bool operator==(const FitByCast&) const = default;
};
/// The same with one Cast to `to` between, where no socket fits without. Of tensors alone.
std::optional<FitByCast> fitting_by_cast(const Graph& graph, const Validator& validator, std::string_view node,
                                         std::string_view socket, bool socket_is_output, const Candidate& candidate);

}  // namespace hw
