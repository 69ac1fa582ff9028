// One value of a program as a function of another.
#pragma once

#include "engine/program/program.h"

namespace hw {

inline constexpr char kPerturbationPort[] = "move";

struct PerturbedProgram {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::vector<Port> boundary;  // input's name, value of the whole program that it must be given
  ValueId target = kNoValue;
};

/// The ops between `value` and `target`, without those of the backward pass unless `backward`; all that read `value`
/// read value + the input kPerturbationPort. What else they read stays as it is, and so does what ends a gradient
/// (ends_gradient.h): each is an input of `boundary`, states and constants apart. Ids of the program stay; values that
/// are not computed have no elements. `reader`: only this node (an index into Program::nodes) reads the perturbed
/// value, the others `value`.
PerturbedProgram perturb_value(const Program& program, ValueId target, ValueId value, bool backward = false,
                               std::optional<uint32_t> reader = {});

}  // namespace hw
