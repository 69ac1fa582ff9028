#include "engine/devices/temp_estimate.h"

#include "engine/backend/plan/memory_plan.h"
#include "engine/devices/back_ends.h"
#include "engine/program/device_id.h"

namespace hw {

std::optional<size_t> resident_bytes(const std::string& device) {
  const std::string id = canonical_device_id(device);
  const auto found = find_back_end(id);
  if (!found || !(*found)->resident_bytes) return std::nullopt;
  return (*found)->resident_bytes(id);
}

Status visit_parts(const std::string& device, const Program& program, const StatePlacements& placements,
                   const std::function<void(const ProgramPart&)>& visit) {
  const std::string id = canonical_device_id(device);
  HW_TRY(const BackEnd* found, find_back_end(id));
  if (!is_pinned(program, id)) {
    visit({id, program, found->temp_bytes(program)});
    return ok();
  }
  HW_TRY(const std::vector<Segment> segments, segments_of(program, id, placements));
  for (const Segment& segment : segments) {
    const auto own = find_back_end(segment.device);  // one that is not here is refused when states are prepared
    TempBytes bytes = own ? (*own)->temp_bytes(*segment.program) : all_temp_bytes(*segment.program);
    for (const ValueId v : segment.incoming) bytes.values += plan::value_bytes(program[v]);
    visit({segment.device, *segment.program, bytes});
  }
  return ok();
}

Result<TempBytes> estimate_temp_bytes(const std::string& device, const Program& program) {
  TempBytes all;
  HW_CHECK(visit_parts(device, program, placements_of(program, canonical_device_id(device), {}),
                       [&](const ProgramPart& part) {
                         all.values += part.temporaries.values;
                         all.tiles += part.temporaries.tiles;
                       }));
  return all;
}

}  // namespace hw
