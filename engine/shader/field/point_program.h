// The part of a program that is computed anew for each point of a field.
#pragma once

#include <vector>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw::shader {

/// Row i of what these ops make depends on row i of the program's inputs alone, and on all of `given`.
struct PointProgram {
  int64_t points = 0;           // rows of the program that it was made of
  std::vector<size_t> instrs;   // of Program::instrs, in their order
  std::vector<ValueId> given;   // parameters, constants, and what the other ops make of those
  std::vector<ValueId> inputs;  // of Program::inputs, those that are read
  ValueId result = kNoValue;
};

/// What `result` is made of. It and the inputs are [N, …], N being `points`: a size that nothing else in the program
/// has, or what has it is taken for rows of points. Error HW-R008 at the node of an op that makes a row out of several
/// points', or out of what differs between points without depending on them, such as random numbers.
Result<PointProgram> point_program(const Program& program, ValueId result, int64_t points);

}  // namespace hw::shader
