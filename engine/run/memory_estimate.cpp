#include "engine/run/memory_estimate.h"

#include <cstdio>
#include <fstream>
#include <limits>
#include <set>

#include "engine/backend/temp_estimate.h"
#include "engine/core/codes.h"
#include "engine/core/mesh.h"

namespace hw {
namespace {

template <class T>
size_t bytes_of(const std::vector<T>& list) {
  return list.size() * sizeof(T);
}

size_t bytes_of(const Mesh& mesh) {
  size_t bytes = bytes_of(mesh.positions) + bytes_of(mesh.normals) + bytes_of(mesh.uvs) + bytes_of(mesh.triangles);
  std::set<const Image*> textures;
  for (const MeshPart& part : mesh.parts) {
    if (part.texture && textures.insert(part.texture.get()).second) bytes += bytes_of(part.texture->rgba);
  }
  return bytes;
}

/// Temporaries and data; states are shared between programs and not counted.
Status add_program(MemoryEstimate& estimate, const Program& program, const std::string& device) {
  HW_TRY(const TempBytes temporaries, estimate_temp_bytes(device, program));
  estimate.activations += temporaries.total();
  estimate.tiles += temporaries.tiles;
  for (const Value& value : program.values) {
    if (value.storage == Storage::input || value.storage == Storage::constant) estimate.data += bytes_of(value);
  }
  std::set<const Mesh*> meshes;
  for (const Instr& instr : program.instrs) {
    const auto* surface = std::get_if<SampleSurfaceAttr>(&instr.attr);
    if (surface && surface->mesh && meshes.insert(surface->mesh.get()).second)
      estimate.data += bytes_of(*surface->mesh);
  }
  return ok();
}

}  // namespace

size_t bytes_of(const Value& value) {
  return static_cast<size_t>(element_count(value.dims)) * size_of(value.dtype);
}

Result<MemoryEstimate> estimate_memory(const TrainingPlan& plan, const std::string& device) {
  MemoryEstimate estimate;
  HW_CHECK(add_program(estimate, *plan.program, device));
  if (plan.updates) HW_CHECK(add_program(estimate, *plan.updates, device));
  std::set<std::string> parameters;
  for (const Param& p : plan.program->params)
    parameters.insert({(*plan.program)[p.view].name, (*plan.program)[p.master].name});
  for (const auto& [name, state] : states_of(plan))
    (parameters.contains(name) ? estimate.parameters : estimate.optimiser) += bytes_of(*state);
  return estimate;
}

Result<MemoryEstimate> estimate_memory(const Graph& graph, Assets& assets, const std::string& device) {
  HW_TRY(const TrainingPlan plan, plan_training(graph, assets));
  return estimate_memory(plan, device);
}

Status check_fits(const MemoryEstimate& needed, size_t available) {
  if (needed.total() <= available) return ok();
  return Error{codes::out_of_memory, "",
               "training needs about " + memory_text(needed.total()) + " (parameters " +
                   memory_text(needed.parameters) + ", optimiser " + memory_text(needed.optimiser) + ", activations " +
                   memory_text(needed.activations) + ", data " + memory_text(needed.data) + "), and " +
                   memory_text(available) + " is free.",
               "Make batches, layers or tables smaller, use a narrower dtype, or close other programs."};
}

size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    size_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return std::numeric_limits<size_t>::max();
}

std::string memory_text(size_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 || unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

}  // namespace hw
