// Which family of ops/*.h plans an op. A launcher's families may be compiled in several files.
#pragma once

#include "engine/backend/gpu/driver.h"
#include "engine/backend/gpu/op_context.h"
#include "engine/program/program.h"

namespace hw::gpu {

// What the rows of ops.def name.
#define HW_GPU_plan(planner) \
  template <class Launcher>  \
  void planner(OpContext& c);
#define HW_GPU_plan_on(planner) \
  template <class Launcher>     \
  void planner(OpContext& c, const Driver& driver);
#define HW_OP(name, inputs, outputs, infer, adjoint, cpu, gpu, ...) HW_GPU_##gpu
#include "engine/program/ops.def"
#undef HW_GPU_plan
#undef HW_GPU_plan_on

using Planner = void (*)(OpContext&, const Driver&);

template <void (*plan)(OpContext&)>
void planned(OpContext& c, const Driver&) {
  plan(c);
}

template <class Launcher>
inline constexpr Planner kPlanners[] = {
#define HW_GPU_plan(planner) planned<planner<Launcher>>,
#define HW_GPU_plan_on(planner) planner<Launcher>,
#define HW_OP(name, inputs, outputs, infer, adjoint, cpu, gpu, ...) HW_GPU_##gpu
#include "engine/program/ops.def"
#undef HW_GPU_plan
#undef HW_GPU_plan_on
};

/// Driver::plan for a launcher: the family's result, Error HW-R002 where it has no kernel for the instruction.
template <class Launcher>
Status plan_op(OpContext& c, const Driver& driver) {
  kPlanners<Launcher>[static_cast<size_t>(c.op())](c, driver);
  if (c.info.implementation.empty()) c.info.implementation = driver.implementation();
  return c.status();
}

}  // namespace hw::gpu
