// One value of a program as a function of another.
#pragma once

#include "engine/program/program.h"

namespace hw {

inline constexpr char kMovePort[] = "move";

struct MovedProgram {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::vector<Port> handed;  // input's name, value of the whole program that it must be given
  ValueId target = kNoValue;
};

/// The ops between `value` and `target`, without those of the backward pass unless `backward`; all that read `value`
/// read value + the input kMovePort. What else they read stays as it is, and so does what stop_gradient hands on: each
/// is an input of `handed`, states and constants apart. Ids of the program stay; values that are not computed have no
/// elements.
/// `reader`: only this node (an index into Program::nodes) reads the moved value, the others `value`.
MovedProgram move_value(const Program& program, ValueId target, ValueId value, bool backward = false,
                        std::optional<uint32_t> reader = {});

}  // namespace hw
