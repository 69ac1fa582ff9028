// The list of devices. A back end registers by one row in kBackEnds.
#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/backend/plan/memory_plan.h"
#include "engine/backend/ref/ref_device.h"
#include "engine/backend/temp_estimate.h"
#include "engine/core/codes.h"
#include "engine/program/device_id.h"

namespace hw {
namespace {

struct BackEnd {
  const char* id;  // of its devices: "cpu"; "cuda" for "cuda:0", "cuda:1" …
  Result<std::shared_ptr<Device>> (*make)(const std::string& id);
  TempBytes (*temp_bytes)(const Program&);
  std::vector<std::string> (*ids)();                // of the devices there are; null: the one
  size_t (*resident_bytes)(const std::string& id);  // null: it computes in host memory
};

/// Every temporary has storage of its own there.
TempBytes all_temp_bytes(const Program& program) {
  TempBytes bytes;
  for (const Value& value : program.values) {
    if (value.storage == Storage::temp) bytes.values += plan::value_bytes(value);
  }
  return bytes;
}

std::vector<std::string> gpu_ids() {
  std::vector<std::string> ids;
  if (const auto gpus = cuda::gpus())
    for (size_t i = 0; i < gpus->size(); ++i) ids.push_back("cuda:" + std::to_string(i));
  return ids;
}

// In the order they are offered.
const BackEnd kBackEnds[] = {
    {"cpu", [](const std::string&) -> Result<std::shared_ptr<Device>> { return make_cpu_device(); }, cpu::temp_bytes,
     nullptr, nullptr},
    {"ref", [](const std::string&) -> Result<std::shared_ptr<Device>> { return make_ref_device(); }, all_temp_bytes,
     nullptr, nullptr},
    {"cuda", cuda::make_cuda_device, cuda::temp_bytes, gpu_ids, cuda::resident_bytes},
};

}  // namespace

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const BackEnd& b : kBackEnds) {
    const std::vector<std::string> own = b.ids ? b.ids() : std::vector<std::string>{b.id};
    ids.insert(ids.end(), own.begin(), own.end());
  }
  return ids;
}

static Result<const BackEnd*> find_back_end(const std::string& id) {
  for (const BackEnd& b : kBackEnds)
    if (b.ids ? id.starts_with(std::string(b.id) + ":") : id == b.id) return &b;
  std::string known;
  for (const std::string& one : device_ids()) known += (known.empty() ? "" : ", ") + one;
  return Error{codes::bad_usage, id, "There is no such device.", "Choose one of: " + known + "."};
}

static Result<std::shared_ptr<Device>> make_single_device(const std::string& name) {
  const std::string id = canonical_device_id(name);
  HW_TRY(const BackEnd* found, find_back_end(id));
  return found->make(id);
}

Result<std::shared_ptr<Device>> make_device(const std::string& id) {
  HW_TRY(std::shared_ptr<Device> base, make_single_device(id));
  return make_placed_device(std::move(base), make_single_device);
}

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
