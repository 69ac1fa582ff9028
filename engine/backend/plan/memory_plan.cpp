#include "engine/backend/plan/memory_plan.h"

#include <algorithm>
#include <utility>

#include "engine/backend/plan/first_fit.h"
#include "engine/backend/plan/regions.h"
#include "engine/core/sizes.h"
#include "engine/program/op_sources.h"
#include "engine/program/tiling.h"

namespace hw::plan {
namespace {

constexpr size_t kNever = ~size_t{0};

// The scratch of a step while it is planned.
struct StepMemory {
  FirstFit tile, strip;
  bool in_region = false;
  // Places of tiles, given back when the region ends: its first strips write where its last ones have yet to read.
  std::vector<size_t> held;
};

// Ops that may write where their dying input lies. A cast and a stretch to more elements convert whole tiles, and take
// an output at its input's place for done.
bool in_place(Op op) {
  return (is_elementwise(op) && op != Op::cast && op != Op::broadcast_to) || op == Op::reshape;
}

class Planner {
 public:
  Planner(const Program& p, const std::vector<Step>& steps, std::span<const ValueId> keep, const std::vector<bool>& own)
      : p_(p),
        steps_(steps),
        first_(p.values.size(), kNever),
        last_(p.values.size(), 0),
        maker_(p.values.size(), 0),
        last_use_(p.values.size(), 0),
        kept_(p.values.size(), false) {
    plan_.values.resize(p.values.size());
    plan_.scratch_bytes.resize(steps.size(), 0);
    for (ValueId v : keep) kept_[v] = true;
    for (const Port& port : p.outputs) kept_[port.value] = true;
    for (size_t s = 0; s < steps.size(); ++s) {
      for (ValueId v : steps[s].held) last_[v] = std::max(last_[v], s);
      for (size_t i : steps[s].instrs) {
        for (ValueId v : p.instrs[i].in) last_[v] = std::max(last_[v], s);
        for (ValueId v : p.instrs[i].out) {
          first_[v] = s;
          maker_[v] = i;
          last_[v] = std::max(last_[v], s);
        }
      }
    }
    for (ValueId v = 0; v < p.values.size(); ++v) plan_.values[v].place = place_of(v, own[v]);
  }

  MemoryPlan run() {
    plan_arena();
    for (size_t s = 0; s < steps_.size(); ++s)
      if (steps_[s].tiled) plan_scratch(s);
    return std::move(plan_);
  }

 private:
  Place place_of(ValueId v, bool own) const {
    switch (p_[v].storage) {
      case Storage::state:
        return Place::state;
      case Storage::input:
        return Place::input;
      case Storage::constant:
        return Place::constant;
      case Storage::temp:
        break;
    }
    if (first_[v] == kNever) return Place::none;
    if (own) return Place::own;
    const bool local = steps_[first_[v]].tiled && last_[v] == first_[v] && !kept_[v] && !reduced(v);
    return local ? Place::scratch : Place::arena;
  }

  // Results of reductions are whole even when they have no readers.
  bool reduced(ValueId v) const { return tile_rule(p_, p_.instrs[maker_[v]]).tiling == Tiling::reduction; }

  void plan_arena() {
    FirstFit memory;
    std::vector<std::vector<ValueId>> born(steps_.size()), dead(steps_.size());
    for (ValueId v = 0; v < p_.values.size(); ++v) {
      if (plan_.values[v].place != Place::arena) continue;
      born[first_[v]].push_back(v);
      if (!kept_[v]) dead[last_[v]].push_back(v);
      if (plan_.largest == kNoValue || value_bytes(p_[v]) > value_bytes(p_[plan_.largest])) plan_.largest = v;
    }
    for (size_t s = 0; s < steps_.size(); ++s) {
      for (ValueId v : born[s]) plan_.values[v].offset = memory.take(value_bytes(p_[v]));
      for (ValueId v : dead[s]) memory.release(plan_.values[v].offset);
    }
    plan_.arena_bytes = memory.peak();
  }

  size_t tile_bytes(ValueId v, const Step& step) const {
    const auto rows = static_cast<size_t>(std::max<int64_t>(step.rows, 1));
    return value_bytes(p_[v]) / rows * static_cast<size_t>(step.tile_rows);
  }

  void find_last_uses(const Step& step) {
    for (size_t k = 0; k < step.instrs.size(); ++k)
      for (const auto* list : {&p_.instrs[step.instrs[k]].in, &p_.instrs[step.instrs[k]].out})
        for (ValueId v : *list) last_use_[v] = k;
  }

  /// What a region alone has takes a strip.
  void place_strips(const Step& step) {
    for (const Region& region : step.regions)
      for (size_t k = region.first; k < region.first + region.count; ++k)
        for (ValueId v : p_.instrs[step.instrs[k]].out)
          if (plan_.values[v].place == Place::scratch && last_use_[v] < region.first + region.count)
            plan_.values[v].place = Place::strip;
  }

  void plan_scratch(size_t s) {
    const Step& step = steps_[s];
    find_last_uses(step);
    place_strips(step);
    StepMemory memory;
    const Region* region = step.regions.data();
    const Region* const no_region = region + step.regions.size();
    for (size_t k = 0; k < step.instrs.size(); ++k) {
      memory.in_region = region != no_region && k >= region->first;
      plan_op(p_.instrs[step.instrs[k]], k, step, memory);
      if (!memory.in_region || k + 1 < region->first + region->count) continue;
      for (const size_t offset : std::exchange(memory.held, {})) memory.tile.release(offset);
      ++region;
    }
    plan_.scratch_bytes[s] = memory.tile.peak();
    plan_.strip_bytes = std::max(plan_.strip_bytes, memory.strip.peak());
  }

  /// Places what the op at position k makes, and gives back what it is the last to read.
  void plan_op(const Instr& instr, size_t k, const Step& step, StepMemory& memory) {
    const auto is_tile = [&](ValueId v) {
      return plan_.values[v].place == Place::scratch && &steps_[first_[v]] == &step;
    };
    const auto is_strip = [&](ValueId v) { return memory.in_region && plan_.values[v].place == Place::strip; };
    std::vector<ValueId> dying;
    for (const auto* list : {&instr.in, &instr.out})
      for (ValueId v : *list)
        if ((is_tile(v) || is_strip(v)) && last_use_[v] == k && std::find(dying.begin(), dying.end(), v) == dying.end())
          dying.push_back(v);
    for (ValueId out : instr.out) {
      if (!is_tile(out) && !is_strip(out)) continue;
      ValueId heir = kNoValue;
      for (ValueId v : instr.in)
        if (in_place(instr.op) && std::find(dying.begin(), dying.end(), v) != dying.end() &&
            plan_.values[v].place == plan_.values[out].place && value_bytes(p_[v]) == value_bytes(p_[out]))
          heir = v;
      if (heir != kNoValue) {
        plan_.values[out].offset = plan_.values[heir].offset;
        dying.erase(std::find(dying.begin(), dying.end(), heir));
      } else if (is_strip(out)) {
        plan_.values[out].offset = memory.strip.take(byte_count(p_[out].dtype, kStrip));
      } else {
        plan_.values[out].offset = memory.tile.take(tile_bytes(out, step));
      }
    }
    for (ValueId v : dying) {
      const size_t offset = plan_.values[v].offset;
      if (is_strip(v))
        memory.strip.release(offset);
      else if (memory.in_region)
        memory.held.push_back(offset);
      else
        memory.tile.release(offset);
    }
  }

  const Program& p_;
  const std::vector<Step>& steps_;
  std::vector<size_t> first_, last_;  // by value: steps
  std::vector<size_t> maker_;         // by value: the instruction
  std::vector<size_t> last_use_;      // by value of the step that is planned: the position of the last op that has it
  std::vector<bool> kept_;
  MemoryPlan plan_;
};

}  // namespace

size_t value_bytes(const Value& value) {
  return byte_count(value.dtype, value.dims);
}

MemoryPlan plan_memory(const Program& program, const std::vector<Step>& steps, std::span<const ValueId> keep,
                       const std::vector<bool>& own) {
  return Planner(program, steps, keep, own).run();
}

}  // namespace hw::plan
