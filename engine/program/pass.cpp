#include "engine/program/pass.h"

#include "engine/program/program.h"

namespace hw {

std::string_view name(Pass pass) {
  static constexpr std::string_view names[] = {"forward", "backward", "update"};
  return names[static_cast<size_t>(pass)];
}

Pass pass_of(const Instr& instr) {
  if (instr.update) return Pass::update;
  return instr.backward ? Pass::backward : Pass::forward;
}

}  // namespace hw
