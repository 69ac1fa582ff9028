// The forward pass of a program as a function of one of its values.
#pragma once

#include "engine/program/program.h"

namespace hw {

inline constexpr char kMovePort[] = "move";

struct MovedProgram {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::vector<Port> frozen;  // input's name, value of the program that it stands for
  ValueId loss = kNoValue;
};

/// What `loss` depends on, without the backward pass. All that read `value` read value + the input kMovePort instead;
/// kNoValue: nothing is moved. What stop_gradient hands on becomes an input of `frozen`. Ids of the program stay.
MovedProgram move_value(const Program& program, ValueId loss, ValueId value);

}  // namespace hw
