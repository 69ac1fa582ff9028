// Where an Inf or NaN ends: which nodes are to be kept wide, and what is finite again, and wrong.
#pragma once

#include <functional>
#include <optional>

#include "engine/program/program.h"

namespace hw {

/// The last node that makes finite numbers of an Inf or NaN, and what it makes.
struct FiniteAgain {
  std::string node, value;  // value: "" inside the node
};

/// Follows `first`, which is Inf or NaN, through its pass to where finite numbers are made of it: these are wrong, and
/// nothing else shows it. `read`: a value of the program, which has run. Nothing: no other node makes any.
Result<std::optional<FiniteAgain>> finite_again(const Program& program, ValueId first,
                                                const std::function<Result<Tensor>(ValueId)>& read);

/// "Keep square … div in a wider dtype than f16: …".
std::string keep_wide_text(const std::string& node, const FiniteAgain& until, DType dtype);

}  // namespace hw
