#include "engine/train/bad_value_causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/core/magnitudes.h"
#include "engine/core/rounding_error.h"
#include "engine/devices/devices.h"
#include "engine/plan/lost_numbers.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/widen_states.h"
#include "engine/program/op_sources.h"
#include "engine/program/op_text.h"
#include "engine/program/widen_program.h"

namespace hw {
namespace {

constexpr double kApart = 0.5;       // relative: not one bit is left
constexpr size_t kMostCauses = 3;    // that are named
constexpr size_t kMostPlaces = 512;  // that are looked at
constexpr size_t kMostShown = 4;     // inputs of a cause

class Trace {
 public:
  Trace(const Program& program, const Executable& real, const Executable& wide, std::map<ValueId, Tensor> exact)
      : p_(program), real_(real), wide_(wide), exact_(std::move(exact)), makers_(program.values.size(), nullptr) {
    for (const Instr& instr : p_.instrs)
      for (const ValueId out : instr.out) makers_[out] = &instr;
  }

  /// Follows what is apart of what an element is made of. False: nothing is.
  Result<bool> follow_inputs(const Instr& instr, ValueId made, int64_t index) {
    const auto out = static_cast<size_t>(std::ranges::find(instr.out, made) - instr.out.begin());
    const auto sources = sources_of(p_, instr, out, index);
    bool any = false;
    for (size_t k = 0; k < instr.in.size(); ++k) {
      const ValueId in = instr.in[k];
      if (!info(p_[in].dtype).is_float) continue;
      HW_TRY(const Pair pair, pair_of(in));
      if (!sources[k].known) any = any || compare(pair.real, pair.wide, p_[in].dtype).relative >= kApart;
      for (const int64_t i : sources[k].indices) {
        const double real = element_of(pair.real, i), wide = element_of(pair.wide, i);
        if (!(error_of(real, wide, p_[in].dtype).relative >= kApart)) continue;
        any = true;
        if (!seen_.emplace(in, i).second || seen_.size() > kMostPlaces) continue;
        HW_CHECK(follow(in, i, instr, real, wide));
      }
    }
    return any;
  }

  std::vector<BadValue::Cause> causes;

 private:
  struct Pair {
    Tensor real, wide;
  };

  Result<Pair> pair_of(ValueId id) {
    const auto found = pairs_.find(id);
    if (found != pairs_.end()) return found->second;
    Pair pair;
    HW_TRY(pair.real, real_.read(id));
    if (const auto exact = exact_.find(id); exact != exact_.end()) {
      pair.wide = exact->second;
    } else if (p_[id].storage == Storage::temp) {
      HW_TRY(pair.wide, wide_.read(id));
    } else {
      pair.wide = pair.real;  // both have the same
    }
    return pairs_.emplace(id, std::move(pair)).first->second;
  }

  Status follow(ValueId id, int64_t index, const Instr& reader, double real, double wide) {
    const Instr* maker = makers_[id];
    if (!maker) {
      const std::string lost = lost_number_text(wide, p_[id].dtype);
      if (!lost.empty()) add(p_.nodes[reader.node], lost, p_[id].dtype);
      return ok();
    }
    HW_TRY(const bool inherited, follow_inputs(*maker, id, index));
    if (inherited) return ok();
    std::string of;
    const auto out = static_cast<size_t>(std::ranges::find(maker->out, id) - maker->out.begin());
    const auto sources = sources_of(p_, *maker, out, index);
    for (size_t k = 0, shown = 0; k < maker->in.size(); ++k) {
      HW_TRY(const Tensor value, real_.read(maker->in[k]));
      for (const int64_t i : sources[k].indices)
        if (shown++ < kMostShown) of += (of.empty() ? " of " : ", ") + number_text(element_of(value, i));
    }
    add(p_.nodes[maker->node], op_text(*maker) + " made " + number_text(real) + of + "; f64 makes " + number_text(wide),
        p_[id].dtype);
    return ok();
  }

  void add(const std::string& node, const std::string& text, DType dtype) {
    const auto same = [&](const BadValue::Cause& c) { return c.node == node && c.text == text; };
    if (causes.size() < kMostCauses && std::ranges::none_of(causes, same)) causes.push_back({node, text, dtype});
  }

  const Program& p_;
  const Executable &real_, &wide_;
  const std::map<ValueId, Tensor> exact_;
  std::vector<const Instr*> makers_;
  std::map<ValueId, Pair> pairs_;
  std::set<std::pair<ValueId, int64_t>> seen_;
};

/// Floats that an instruction's inputs are made of.
std::vector<ValueId> cone_of(const Program& program, const Instr& of) {
  std::vector<const Instr*> makers(program.values.size(), nullptr);
  for (const Instr& instr : program.instrs)
    for (const ValueId out : instr.out) makers[out] = &instr;
  std::set<ValueId> seen;
  std::vector<const Instr*> open{&of};
  while (!open.empty()) {
    const Instr* instr = open.back();
    open.pop_back();
    for (const ValueId in : instr->in)
      if (makers[in] && seen.insert(in).second) open.push_back(makers[in]);
  }
  std::vector<ValueId> cone;
  for (const ValueId id : seen)
    if (info(program[id].dtype).is_float) cone.push_back(id);
  return cone;
}

/// Whether a run of the twin of `program` fits into what is free, with copies of what is read of both.
Status check_readable(const Program& program, Program twin, std::span<const ValueId> read, Device& device) {
  size_t copies = 0;
  for (const ValueId id : read) {
    twin.outputs.push_back({twin[id].name, id});
    copies += bytes_of(program[id]) + bytes_of(twin[id]);
  }
  return check_memory(twin, device, nullptr, copies);
}

}  // namespace

Result<std::vector<BadValue::Cause>> causes_of(const TrainingRun& run, const Instr& instr, ValueId made, int64_t index,
                                               const Executable& executable, const StepInputs& inputs) {
  const Program& program = *run.plan().program;
  std::map<ValueId, Tensor> exact = exact_constants(run.graph(), program, run.plan().sockets);
  HW_TRY(const WideProgram twin, widen_program(program, exact));
  HW_TRY(const std::shared_ptr<Device> device, make_device("cpu"));
  std::vector<ValueId> read = cone_of(program, instr);
  read.push_back(made);
  HW_CHECK(check_readable(program, *twin.program, read, *device));
  HW_TRY(const std::shared_ptr<States> states, widen_states(*device, program, *twin.program, *run.states()));
  HW_TRY(const std::unique_ptr<Executable> wide, device->compile(twin.program, states, read));
  for (const Port& port : twin.program->inputs) {
    HW_TRY(const Tensor value, executable.read(port.value));
    HW_CHECK(wide->write_input(port.name, value.to((*twin.program)[port.value].dtype)));
  }
  HW_CHECK(wide->run(inputs));
  // What exact inputs make is more than the dtype has, too: what was rounded before is not why.
  HW_TRY(const Tensor made_exactly, wide->read(made));
  if (!(std::abs(element_of(made_exactly, index)) <= info(program[made].dtype).max))
    return std::vector<BadValue::Cause>();
  Trace trace(program, executable, *wide, std::move(exact));
  HW_CHECK(trace.follow_inputs(instr, made, index));
  return std::move(trace.causes);
}

}  // namespace hw
