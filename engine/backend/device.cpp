// The list of devices. A back end registers by one row in kBackEnds.
#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cpu/memory_plan.h"
#include "engine/backend/ref/ref_device.h"
#include "engine/backend/temp_estimate.h"
#include "engine/core/codes.h"
#include "engine/core/parallel.h"

namespace hw {
namespace {

struct BackEnd {
  const char* id;
  std::shared_ptr<Device> (*make)();
  TempBytes (*temp_bytes)(const Program&);
};

/// Every temporary has storage of its own there.
TempBytes all_temp_bytes(const Program& program) {
  TempBytes bytes;
  for (const Value& value : program.values) {
    if (value.storage == Storage::temp) bytes.values += cpu::value_bytes(value);
  }
  return bytes;
}

TempBytes cpu_temp_bytes(const Program& program) {
  const std::vector<bool> own(program.values.size(), false);
  const cpu::MemoryPlan plan = cpu::plan_memory(program, cpu::schedule(program), {}, own);
  const size_t tile = plan.scratch_bytes.empty() ? 0 : *std::ranges::max_element(plan.scratch_bytes);
  return {plan.arena_bytes, tile * static_cast<size_t>(thread_count())};
}

// In the order they are offered.
constexpr BackEnd kBackEnds[] = {
    {"cpu", make_cpu_device, cpu_temp_bytes},
    {"ref", make_ref_device, all_temp_bytes},
};

}  // namespace

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const BackEnd& b : kBackEnds) ids.emplace_back(b.id);
  return ids;
}

static Result<const BackEnd*> find_back_end(const std::string& id) {
  std::string known;
  for (const BackEnd& b : kBackEnds) {
    if (id == b.id) return &b;
    known += (known.empty() ? "" : ", ") + std::string(b.id);
  }
  return Error{codes::bad_usage, id, "There is no such device.", "Choose one of: " + known + "."};
}

Result<std::shared_ptr<Device>> make_device(const std::string& id) {
  HW_TRY(const BackEnd* found, find_back_end(id));
  return found->make();
}

Result<TempBytes> estimate_temp_bytes(const std::string& device, const Program& program) {
  HW_TRY(const BackEnd* found, find_back_end(device));
  return found->temp_bytes(program);
}

}  // namespace hw
