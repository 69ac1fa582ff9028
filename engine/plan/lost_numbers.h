// Numbers that a program computes with and that their dtype does not hold: an epsilon that is 0, a bound that is Inf.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/graph/lower/lower.h"

namespace hw {

/// "1e-08 is 0 in f16", "100000 is Inf in f16"; "" where `dtype` holds the number but for the rounding that any number
/// in its normal range meets.
std::string lost_number_text(double number, DType dtype);

/// Constants of a program that was lowered from a flattened graph, in f64, as their nodes ask for them: what the same
/// node gives in f64. Those that are no roundings of such numbers, such as the largest number of a dtype, are left out.
std::map<ValueId, Tensor> exact_constants(const Graph& graph, const Program& program,
                                          const std::map<SocketRef, LowerArgs::Arg>& sockets);

/// The constants of a program that are lost so, by the node that computes with them.
class LostNumbers {
 public:
  LostNumbers(const Program& program, const std::map<ValueId, Tensor>& exact);
  std::vector<std::string> of(const std::string& node) const;

 private:
  std::map<std::string, std::vector<std::string>> by_node_;
};

}  // namespace hw
