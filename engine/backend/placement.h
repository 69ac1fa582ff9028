// Placement: which device runs which instructions of a program whose nodes have devices of their own, and in what
// order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw {

/// Whether some instruction of the program runs on another device than `device`.
bool is_pinned(const Program& program, const std::string& device);

/// Device ids by state name: the device whose ops write a state; of states that are only read the one in `known`, else
/// the first that reads them. States that are written together, and a parameter's view and master, share one.
using StatePlacements = std::map<std::string, std::string>;
StatePlacements placements_of(const Program& program, const std::string& device, const StatePlacements& known);

/// Instructions that one device runs in one go.
struct Segment {
  std::string device;
  std::vector<size_t> instrs;  // of the whole program, in the order of `program`
  /// The same ids; values that are not here have no elements. Temporaries that later segments read are outputs; a
  /// parameter is one of the last segment on its device.
  std::shared_ptr<Program> program;
  std::vector<ValueId> incoming;  // values of other segments and devices: inputs named incoming_name
};
std::string incoming_name(ValueId value);

/// More segments are refused: each has a list of all values of the whole program.
inline constexpr size_t kMostSegments = 256;

/// The whole program in as few segments as moving instructions past each other gives, where no value and no state
/// changes by it. `placements`: of all its states. At least one. Error HW-R007 when there would be too many.
Result<std::vector<Segment>> segments_of(const Program& program, const std::string& device,
                                         const StatePlacements& placements);
/// Whether segments_of would refuse.
Status check_segments(const Program& program, const std::string& device, const StatePlacements& placements);

}  // namespace hw
