// The memory of whole values on the cpu: the arena, buffers of their own, inputs, constants and states.
#pragma once

#include <vector>

#include "engine/backend/cpu/runtime/cpu_plan.h"
#include "engine/backend/host_states.h"
#include "engine/core/huge_buffer.h"

namespace hw::cpu {

/// Memory that is asked for, for the message where there is none.
struct Asked {
  ValueId value = kNoValue;
  size_t bytes = 0;
};

class ValueMemory {
 public:
  /// Memory of all values of a plan, and what its kernels keep. Throws std::bad_alloc: `asked` says for what.
  void take(const CpuPlan& plan, HostStates& states, const SharedValues& shared, Asked& asked);

  /// Whole values by ValueId; null: in scratch or nowhere.
  std::span<std::byte* const> data() const { return data_; }
  std::byte* data(ValueId v) const { return data_[v]; }
  /// The tensor of an input that is not shared, a constant or a state; an empty one of other values.
  Tensor& held(ValueId v) { return held_[v]; }
  const Tensor& held(ValueId v) const { return held_[v]; }

 private:
  void place(const CpuPlan& plan, HostStates& states, const SharedValues& shared);

  HugeBuffer arena_;
  std::vector<HugeBuffer> own_;  // by ValueId
  std::vector<Tensor> held_;     // by ValueId, so that their memory stays
  std::vector<std::byte*> data_;
};

}  // namespace hw::cpu
