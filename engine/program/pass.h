// Pass: the part of a training step that an instruction belongs to.
#pragma once

#include <cstdint>
#include <string_view>

namespace hw {

struct Instr;

enum class Pass : uint8_t { forward, backward, update };
/// "forward", "backward", "update".
std::string_view name(Pass pass);
Pass pass_of(const Instr& instr);

}  // namespace hw
