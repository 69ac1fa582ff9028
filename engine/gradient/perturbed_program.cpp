#include "engine/gradient/perturbed_program.h"

#include <algorithm>
#include <set>

#include "engine/program/ends_gradient.h"

namespace hw {
namespace {

bool reads(const Instr& instr, ValueId value, std::optional<uint32_t> reader) {
  const bool is_reader = !reader || instr.node == *reader;
  return is_reader && std::find(instr.in.begin(), instr.in.end(), value) != instr.in.end();
}

/// The instructions that make of `value` what `target` is made of, in their order.
std::vector<Instr> between(const Program& whole, ValueId target, ValueId value, bool backward,
                           std::optional<uint32_t> reader) {
  std::set<ValueId> dependent, needed{target};
  std::vector<Instr> found;
  for (const Instr& instr : whole.instrs) {
    const bool ends = !instr.backward && ends_gradient(whole, instr);
    const bool counts = (backward || !instr.backward) && !instr.update && !ends;
    if (!counts || !(any_in(instr.in, dependent) || reads(instr, value, reader))) continue;
    dependent.insert(instr.out.begin(), instr.out.end());
    found.push_back(instr);
  }
  std::reverse(found.begin(), found.end());
  std::erase_if(found, [&](const Instr& instr) {
    if (!any_in(instr.out, needed)) return true;
    needed.insert(instr.in.begin(), instr.in.end());
    return false;
  });
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace

PerturbedProgram perturb_value(const Program& whole, ValueId target, ValueId value, bool backward,
                               std::optional<uint32_t> reader) {
  PerturbedProgram perturbed;
  Program& p = *perturbed.program;
  p.values = whole.values;
  p.constants = whole.constants;
  p.nodes = whole.nodes;
  Value perturbation = whole[value];
  perturbation.storage = Storage::input;
  perturbation.name = kPerturbationPort;
  const auto by = static_cast<ValueId>(p.values.size()), to = by + 1;
  p.inputs.push_back({kPerturbationPort, by});
  p.values.push_back(perturbation);
  perturbation.storage = Storage::temp;
  perturbation.name.clear();
  p.values.push_back(std::move(perturbation));
  p.instrs.push_back({Op::add, {value, by}, {to}, {}, 0});
  for (Instr& instr : between(whole, target, value, backward, reader)) {
    if (reads(instr, value, reader)) std::replace(instr.in.begin(), instr.in.end(), value, to);
    p.instrs.push_back(std::move(instr));
  }
  perturbed.target = target == value ? to : target;
  p.outputs.push_back({"target", perturbed.target});

  std::set<ValueId> made, read{perturbed.target};
  for (const Instr& instr : p.instrs) {
    made.insert(instr.out.begin(), instr.out.end());
    read.insert(instr.in.begin(), instr.in.end());
  }
  for (ValueId id = 0; id < by; ++id) {
    Value& v = p.values[id];
    if (made.contains(id) || v.storage == Storage::state || v.storage == Storage::constant) continue;
    if (!read.contains(id)) {
      v.storage = Storage::temp;
      v.dims = {0};
      continue;
    }
    v.storage = Storage::input;
    v.name = "#" + std::to_string(id);
    p.inputs.push_back({v.name, id});
    perturbed.boundary.push_back({v.name, id});
  }
  return perturbed;
}

}  // namespace hw
