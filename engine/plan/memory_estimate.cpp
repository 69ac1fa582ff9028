#include "engine/plan/memory_estimate.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/dataset.h"
#include "engine/core/mesh.h"
#include "engine/core/sizes.h"
#include "engine/devices/temp_estimate.h"
#include "engine/program/device_id.h"

namespace hw {
namespace {

template <class T>
size_t bytes_of(const std::vector<T>& list) {
  return list.size() * sizeof(T);
}

size_t bytes_of(const Mesh& mesh) {
  size_t bytes = bytes_of(mesh.positions) + bytes_of(mesh.normals) + bytes_of(mesh.uvs) + bytes_of(mesh.triangles) +
                 bytes_of(mesh.colours);
  std::set<const Image*> textures;
  for (const MeshPart& part : mesh.parts) {
    if (part.texture && textures.insert(part.texture.get()).second)
      bytes += bytes_of(part.texture->rgba) + bytes_of(part.texture->deep);
  }
  return bytes;
}

size_t bytes_of(const Image& image) {
  return bytes_of(image.rgba) + bytes_of(image.deep);
}

size_t bytes_of(const Dataset& data) {
  size_t bytes = 0;
  for (const DatasetSplit* split : {&data.train, &data.validation, &data.test})
    bytes += split->x.bytes() + split->labels.bytes();
  return bytes;
}

/// What ops copy into a GPU's memory, and what they keep on the host to send from.
struct SourceBytes {
  size_t there = 0, pinned = 0;
};

SourceBytes source_bytes(const Program& program, size_t resident) {
  SourceBytes bytes;
  for (const Instr& instr : program.instrs) {
    if (const auto* a = std::get_if<SampleSurfaceAttr>(&instr.attr); a && a->mesh) bytes.there += bytes_of(*a->mesh);
    if (const auto* a = std::get_if<SampleImageAttr>(&instr.attr); a && a->image)
      bytes.there += a->image->deep.empty() ? bytes_of(a->image->rgba) : bytes_of(a->image->deep);
    const auto* a = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!a || !a->data) continue;
    const DatasetSplit& split = a->split();
    if (split.sample_bytes() <= resident) {
      bytes.there += split.bytes();
      continue;
    }
    const size_t row = byte_count(split.dtype(), a->data->sample) + sizeof(int64_t);
    bytes.there += 3 * static_cast<size_t>(a->rows) * row;  // two that arrive in turn, and that of the step
    bytes.pinned += 2 * static_cast<size_t>(a->rows) * row;
  }
  return bytes;
}

/// Adds what the parts of a plan's programs take.
class ByPlace {
 public:
  ByPlace(const std::string& device, Device* on) : id_(canonical_device_id(device)), on_(on) {}

  /// Temporaries and data of programs that run one after the other. Inputs of all but the first are read where the
  /// first makes them.
  Status add(std::span<const std::shared_ptr<const Program>> programs) {
    // The last says where states live that the first only reads.
    for (const auto& program : programs | std::views::reverse) place_states(*program);
    for (const auto& program : programs) {
      const bool takes_inputs = program == programs.front();
      HW_CHECK(visit_parts(id_, *program, placements_,
                           [&](const ProgramPart& part) { add_part(*program, part, takes_inputs); }));
    }
    return ok();
  }
  void add_state(const Value& state, bool is_parameter) {
    MemoryEstimate& m = all[place_of(placements_.at(state.name))];
    (is_parameter ? m.parameters : m.optimiser) += bytes_of(state);
  }
  /// Adds the copies of weights that lie on the host.
  void add_copies(const Value& view) {
    if (place(view.name).empty()) all[""].copies += 2 * bytes_of(view);
  }
  /// The place of a state of the programs.
  std::string place(const std::string& state) const { return place_of(placements_.at(state)); }

  MemoryByPlace all;
  /// The splits of data sets: they lie on the host, wherever they are used.
  std::set<const DatasetSplit*> splits;

 private:
  static std::string place_of(const std::string& device) { return resident_bytes(device) ? device : ""; }

  void place_states(const Program& program) {
    for (const auto& [name, device] : placements_of(program, id_, placements_)) placements_[name] = device;
  }

  size_t resident(const std::string& device) const {
    const auto memory = on_ ? on_->memory(device, nullptr) : std::nullopt;
    return memory ? memory->resident : resident_bytes(device).value_or(0);
  }

  void add_part(const Program& whole, const ProgramPart& part, bool takes_inputs) {
    for (const Instr& instr : part.program.instrs) {
      const auto* rows = std::get_if<SampleRowsAttr>(&instr.attr);
      if (rows && rows->data && splits.insert(&rows->split()).second) all[""].data += rows->split().bytes();
    }
    const std::string place = place_of(part.device);
    MemoryEstimate& m = all[place];
    m.activations += part.temporaries.total();
    m.tiles += part.temporaries.tiles;
    for (ValueId v = 0; v < part.program.values.size(); ++v) {
      const bool is_data =
          (takes_inputs && whole[v].storage == Storage::input) || whole[v].storage == Storage::constant;
      if (is_data) m.data += bytes_of(part.program[v]);
    }
    if (!place.empty()) {
      const SourceBytes sources = source_bytes(part.program, resident(part.device));
      m.data += sources.there;
      if (sources.pinned > 0) all[""].data += sources.pinned;
      return;
    }
    for (const Instr& instr : part.program.instrs) {
      const auto add = [&](const auto& file) {
        if (!file || !files_.insert(file.get()).second) return;
        m.data += bytes_of(*file);
        m.loaded += bytes_of(*file);
      };
      if (const auto* a = std::get_if<SampleSurfaceAttr>(&instr.attr)) add(a->mesh);
      if (const auto* a = std::get_if<SampleImageAttr>(&instr.attr)) add(a->image);
      if (const auto* a = std::get_if<SampleRowsAttr>(&instr.attr)) add(a->data);
    }
  }

  const std::string id_;
  Device* const on_;
  StatePlacements placements_;
  std::set<const void*> files_;  // that are counted
};

Result<ByPlace> by_place(const TrainingPlan& plan, const std::string& device, Device* on) {
  ByPlace places(device, on);
  HW_CHECK(places.add(plan.programs()));
  std::set<std::string> parameters;
  for (const Param& p : plan.program->params)
    parameters.insert({(*plan.program)[p.view].name, (*plan.program)[p.master].name});
  for (const auto& [name, state] : states_of(plan)) places.add_state(*state, parameters.contains(name));
  for (const Param& p : plan.program->params) places.add_copies((*plan.program)[p.view]);
  return places;
}

/// The node whose ops make the most bytes on a device of that place.
std::string heaviest_node(const Program& program, const std::string& device, const std::string& place) {
  std::map<std::string, size_t> bytes;
  for (const Instr& instr : program.instrs) {
    const bool pinned = instr.node < program.devices.size() && !program.devices[instr.node].empty();
    const std::string& on = pinned ? program.devices[instr.node] : device;
    if ((resident_bytes(on) ? on : "") != place) continue;
    for (const ValueId v : instr.out) bytes[program.nodes[instr.node]] += bytes_of(program[v]);
  }
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; });
  return most == bytes.end() ? "" : most->first;
}

/// Bytes at a place for what goes on with `there`, whose states on it are `kept`. None: the device cannot be asked,
/// and refuses for itself.
std::optional<size_t> available_at(const std::string& place, Device& device, const States* there, size_t kept) {
  size_t free = available_memory();
  if (!place.empty()) {
    const auto memory = device.memory(place, there);
    if (!memory) return std::nullopt;
    free = memory->free;
  }
  return free > std::numeric_limits<size_t>::max() - kept ? free : free + kept;
}

/// Bytes of splits that were read before.
size_t loaded_bytes(const ByPlace& places, const std::string& place) {
  size_t bytes = 0;
  for (const DatasetSplit* split : places.splits) bytes += place.empty() && split->is_loaded() ? split->bytes() : 0;
  return bytes;
}

/// Bytes of a state that lies where the programs want it.
size_t kept_bytes(const Value& state, const ByPlace& places, const std::string& place, const States* there) {
  const bool stays = there && there->has(state.name) && there->bytes(state.name) == bytes_of(state);
  return stays && there->memory_device(state.name) == place && places.place(state.name) == place ? bytes_of(state) : 0;
}

}  // namespace

size_t bytes_of(const Value& value) {
  return byte_count(value.dtype, value.dims);
}

Result<MemoryByPlace> estimate_memory_by_place(const TrainingPlan& plan, const std::string& device, Device* on) {
  HW_TRY(const ByPlace places, by_place(plan, device, on));
  return places.all;
}

Result<MemoryByPlace> estimate_memory_by_place(const Graph& graph, Assets& assets, const std::string& device) {
  HW_TRY(TrainingPlan plan, plan_training(graph, assets));
  plan.allow_device_passes();
  return estimate_memory_by_place(plan, device);
}

Result<MemoryEstimate> estimate_memory(const TrainingPlan& plan, const std::string& device) {
  HW_TRY(const MemoryByPlace places, estimate_memory_by_place(plan, device));
  MemoryEstimate all;
  for (const auto& [place, m] : places) {
    all.parameters += m.parameters;
    all.optimiser += m.optimiser;
    all.activations += m.activations;
    all.data += m.data;
    all.tiles += m.tiles;
    all.copies += m.copies;
    all.loaded += m.loaded;
  }
  return all;
}

Result<MemoryEstimate> estimate_memory(const Graph& graph, Assets& assets, const std::string& device) {
  HW_TRY(TrainingPlan plan, plan_training(graph, assets));
  plan.allow_device_passes();
  return estimate_memory(plan, device);
}

Status check_fits(const MemoryEstimate& needed, size_t available, const std::string& place, const std::string& node) {
  if (needed.total() - needed.loaded <= available) return ok();
  const bool host = place.empty();
  return Error{codes::out_of_memory, node,
               "it needs about " + memory_text(needed.total()) + (host ? "" : " on " + place) + " (parameters " +
                   memory_text(needed.parameters) + ", optimiser " + memory_text(needed.optimiser) + ", activations " +
                   memory_text(needed.activations) + ", data " + memory_text(needed.data) + ", copies " +
                   memory_text(needed.copies) + "), and " + memory_text(available) + " is free" +
                   (host ? "." : " there."),
               "Make batches, layers or tables smaller, use a narrower dtype, or " +
                   std::string(host ? "close other programs." : "let nodes run on another device.")};
}

Status check_memory(const TrainingPlan& plan, Device& device, const States* there) {
  HW_TRY(const ByPlace places, by_place(plan, device.id(), &device));
  for (const auto& [place, needed] : places.all) {
    size_t kept = loaded_bytes(places, place);
    for (const auto& [name, state] : states_of(plan)) kept += kept_bytes(*state, places, place, there);
    const auto available = available_at(place, device, there, kept);
    if (available) HW_CHECK(check_fits(needed, *available, place, heaviest_node(*plan.program, device.id(), place)));
  }
  return ok();
}

Status check_memory(const Program& program, Device& device, const States* there, size_t copies) {
  ByPlace places(device.id(), &device);
  // Lives no longer than the program.
  const std::shared_ptr<const Program> one(std::shared_ptr<void>(), &program);
  HW_CHECK(places.add(std::span(&one, 1)));
  for (const Value& v : program.values)
    if (v.storage == Storage::state) places.add_state(v, true);
  if (copies > 0) places.all[""].copies += copies;
  for (const auto& [place, needed] : places.all) {
    size_t kept = loaded_bytes(places, place);
    for (const Value& v : program.values)
      if (v.storage == Storage::state) kept += kept_bytes(v, places, place, there);
    if (const auto available = available_at(place, device, there, kept))
      HW_CHECK(check_fits(needed, *available, place, heaviest_node(program, device.id(), place)));
  }
  return ok();
}

Status check_all_values(const std::vector<std::shared_ptr<const Program>>& programs, Device& device,
                        const States* there) {
  MemoryByPlace places;
  std::map<std::string, size_t> kept;
  std::set<std::pair<std::string, std::string>> counted;  // states, by place
  const std::string id = device.id();
  const auto add = [&](const std::string& on, const Program& part, bool takes_inputs) {
    const std::string place = resident_bytes(on) ? on : "";
    MemoryEstimate& m = places[place];
    for (const Value& v : part.values) {
      if (v.storage == Storage::input && !takes_inputs) continue;
      const bool is_state = v.storage == Storage::state;
      if (is_state && !counted.emplace(place, v.name).second) continue;
      (v.storage == Storage::temp ? m.activations : m.parameters) += bytes_of(v);
      const bool lies_there = is_state && there && there->has(v.name) && there->bytes(v.name) == bytes_of(v) &&
                              there->memory_device(v.name) == place;
      if (lies_there) kept[place] += bytes_of(v);
    }
  };
  for (const auto& program : programs) {
    const bool is_first = program == programs.front();
    if (!is_pinned(*program, id)) {
      add(id, *program, is_first);
      continue;
    }
    HW_TRY(const std::vector<Segment> segments, segments_of(*program, id, placements_of(*program, id, {})));
    for (const Segment& segment : segments) add(segment.device, *segment.program, true);
  }
  for (const auto& [place, needed] : places) {
    if (const auto available = available_at(place, device, there, kept[place]))
      HW_CHECK(check_fits(needed, *available, place, heaviest_node(*programs.front(), id, place)));
  }
  return ok();
}

}  // namespace hw
