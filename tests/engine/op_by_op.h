// Every op of a program on a device, held against ref on the very inputs that it had.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "engine/backend/backend.h"
#include "engine/compare/tolerance.h"
#include "engine/devices/devices.h"
#include "engine/program/updates.h"
#include "engine/program/widen_program.h"

namespace hw::test {

/// Inputs and states that a run begins with, by name; states that are not named are the program's initial ones.
struct RunStart {
  std::map<std::string, Tensor> inputs, states;
  StepInputs step;
};

/// Where an op's output is beyond OpTolerance: "matmul of mlp, element 3 is …". Empty: every op agrees. `compared`
/// (may be null) receives how many values were.
inline std::string first_disagreement(const std::shared_ptr<const Program>& program, Device& device,
                                      const RunStart& start, size_t* compared = nullptr) {
  const Program& p = *program;
  const CutProgram cut = cut_at_ops(p);
  const auto ref = *make_device("ref");
  std::vector<ValueId> all;
  for (const Instr& i : p.instrs) all.insert(all.end(), i.out.begin(), i.out.end());
  const auto real_states = *device.prepare_states(p, nullptr, start.step.seed, nullptr);
  const auto alone_states = *ref->prepare_states(*cut.program, nullptr, start.step.seed, nullptr);
  for (const auto& [name, tensor] : start.states) EXPECT_TRUE(real_states->write(name, tensor)) << name;
  std::map<std::string, Tensor> before;
  for (const std::string& name : real_states->names()) {
    before[name] = real_states->read(name);
    EXPECT_TRUE(alone_states->write(name, before[name])) << name;
  }
  auto real = device.compile(program, real_states, all);
  auto alone = ref->compile(cut.program, alone_states, all);
  if (!real || !alone) return real ? alone.error().text() : real.error().text();
  for (const auto& [name, tensor] : start.inputs) {
    EXPECT_TRUE((*real)->write_input(name, tensor)) << name;
    EXPECT_TRUE((*alone)->write_input(name, tensor)) << name;
  }
  const Status ran = (*real)->run(start.step);
  if (!ran) return ran.error().text();
  for (const Port& port : cut.boundary) EXPECT_TRUE((*alone)->write_input(port.name, *(*real)->read(port.value)));
  const Status ran_alone = (*alone)->run(start.step);
  if (!ran_alone) return ran_alone.error().text();
  const auto input_of = [&](ValueId id) -> Tensor {
    if (const auto state = before.find(p[id].name); p[id].storage == Storage::state) return state->second;
    for (const auto& [constant, tensor] : p.constants)
      if (constant == id) return tensor;
    return *(*real)->read(id);
  };
  for (size_t i = 0; i < p.instrs.size(); ++i) {
    const Instr& instr = p.instrs[i];
    const bool writes = instr.out.empty();
    std::vector<Tensor> inputs;
    for (const ValueId id : instr.in) inputs.push_back(input_of(id));
    DType accumulate = (*real)->kernel_info(i).accumulate;
    if (!info(accumulate).is_float) accumulate = DType::f64;
    std::set<ValueId> written;  // a view may be its own master
    for (size_t k = 0; k < (writes ? written_inputs(instr) : instr.out.size()); ++k) {
      const ValueId id = writes ? instr.in[k] : instr.out[k];
      if (!written.insert(id).second) continue;
      const Tensor got = writes ? real_states->read(p[id].name) : *(*real)->read(id);
      const Tensor wanted = writes ? alone_states->read(p[id].name) : *(*alone)->read(id);
      const OpTolerance tolerance(p, instr, k, accumulate, wanted, inputs);
      const std::vector<double> a = got.to_f64(), b = wanted.to_f64();
      if (compared) ++*compared;
      const bool mask = instr.op == Op::hash_grid_grad_table && k == 1;  // may hold more than it must
      for (size_t e = 0; e < a.size(); ++e) {
        if (a[e] == b[e] || (std::isnan(a[e]) && std::isnan(b[e])) || (mask && a[e] > b[e])) continue;
        if (std::isfinite(a[e]) && std::abs(a[e] - b[e]) <= tolerance.allowed(b[e])) continue;
        std::ostringstream text;
        text.precision(17);
        text << info(instr.op).name << " of " << p.nodes[instr.node] << " (" << p[id].name << ", " << name(p[id].dtype)
             << "), element " << e << " is " << a[e] << ", ref says " << b[e] << ", allowed "
             << tolerance.allowed(b[e]);
        return text.str();
      }
    }
  }
  return "";
}

}  // namespace hw::test
