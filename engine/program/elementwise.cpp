#include "engine/program/elementwise.h"

#include <array>

namespace hw {
namespace {

constexpr std::array kElementwise{
#define HW_OP(name, inputs, outputs, rowwise, elementwise) elementwise != 0,
#include "engine/program/ops.def"
#undef HW_OP
};

}  // namespace

bool is_elementwise(Op op) {
  return kElementwise[static_cast<size_t>(op)];
}

}  // namespace hw
