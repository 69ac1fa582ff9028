// The memory that a device will need for temporaries, estimated before anything is allocated.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/backend/placement.h"
#include "engine/backend/temp_bytes.h"

namespace hw {

/// The memory of `program` on a device, estimated without making kernels: memory that kernels keep is not included.
/// Error HW-C001 for an unknown device.
Result<TempBytes> estimate_temp_bytes(const std::string& device, const Program& program);

/// The bytes above which data sets stay on the host, not in the device's own memory. None: it computes in host memory.
std::optional<size_t> resident_bytes(const std::string& device);

/// What one device does of a program: by `program`'s ids.
struct ProgramPart {
  const std::string& device;
  const Program& program;
  TempBytes temporaries;  // what it gets from other parts included
};
/// Visits each part of a program that runs on `device`. `placements`: of all its states. Errors: as
/// estimate_temp_bytes, segments_of.
Status visit_parts(const std::string& device, const Program& program, const StatePlacements& placements,
                   const std::function<void(const ProgramPart&)>& visit);

}  // namespace hw
