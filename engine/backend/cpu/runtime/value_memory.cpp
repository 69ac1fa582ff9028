#include "engine/backend/cpu/runtime/value_memory.h"

namespace hw::cpu {

void ValueMemory::take(const CpuPlan& plan, HostStates& states, const SharedValues& shared, Asked& asked) {
  const Program& p = plan.program();
  const plan::MemoryPlan& memory = plan.memory();
  asked = {memory.largest, memory.arena_bytes};
  arena_ = HugeBuffer(memory.arena_bytes);
  data_.assign(p.values.size(), nullptr);
  own_.resize(p.values.size());
  for (ValueId v = 0; v < p.values.size(); ++v) {
    if (memory.values[v].place != plan::Place::own) continue;
    asked = {v, plan::value_bytes(p[v])};
    own_[v] = HugeBuffer(asked.bytes, true);
  }
  for (const Kernel& kernel : plan.kernels()) kernel.base().take_memory();
  place(plan, states, shared);
}

void ValueMemory::place(const CpuPlan& plan, HostStates& states, const SharedValues& shared) {
  const Program& p = plan.program();
  held_.resize(p.values.size());
  for (const auto& [v, tensor] : p.constants) held_[v] = tensor;
  for (ValueId v = 0; v < p.values.size(); ++v) {
    const plan::ValuePlace& where = plan.memory().values[v];
    if (where.place == plan::Place::state) held_[v] = states.at(p[v].name);
    const auto from = shared.find(v);
    if (from != shared.end())
      data_[v] = from->second.data;
    else if (where.place == plan::Place::input)
      held_[v] = Tensor::zeros(p[v].dtype, p[v].dims);
    if (where.place == plan::Place::arena)
      data_[v] = arena_.data() + where.offset;
    else if (where.place == plan::Place::own)
      data_[v] = own_[v].data();
    else if (!held_[v].empty())
      data_[v] = static_cast<std::byte*>(held_[v].data());
  }
}

}  // namespace hw::cpu
