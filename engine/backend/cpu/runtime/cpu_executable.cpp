#include "engine/backend/cpu/runtime/cpu_executable.h"

#include <cassert>
#include <cstring>
#include <new>

#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/program/op_text.h"

namespace hw::cpu {

Result<std::unique_ptr<Executable>> CpuExecutable::make(std::shared_ptr<const Program> program,
                                                        std::shared_ptr<HostStates> states,
                                                        std::span<const ValueId> keep,
                                                        std::span<const SharedInput> shared, const SimdTable& simd) {
  std::unordered_map<std::string_view, ValueId> named;
  for (const Port& port : program->inputs) named.emplace(port.name, port.value);
  SharedValues values;
  for (const SharedInput& input : shared) {
    const auto port = named.find(input.name);
    if (port == named.end()) continue;
    const auto& from = dynamic_cast<const CpuExecutable&>(*input.from);
    assert(plan::value_bytes(from.plan_.program()[input.value]) == plan::value_bytes((*program)[port->second]));
    const bool kept = from.plan_.memory().values[input.value].place == plan::Place::own;
    values[port->second] = {from.values_.data(input.value), input.may_clear && kept};
  }
  HW_TRY(CpuPlan plan, CpuPlan::make(std::move(program), keep, values, simd));
  std::unique_ptr<CpuExecutable> e(new CpuExecutable(std::move(plan), std::move(states)));
  HW_CHECK(e->take_memory(values));
  return std::unique_ptr<Executable>(std::move(e));
}

Status CpuExecutable::take_memory(const SharedValues& shared) {
  Asked asked;
  try {
    values_.take(plan_, *states_, shared, asked);
    plan_.bind(values_.data());
    runner_.take_memory(asked);
  } catch (const std::bad_alloc&) {
    return out_of_memory(where_of(plan_.program(), asked.value), asked.bytes);
  }
  return ok();
}

Result<TempBytes> CpuExecutable::estimate(const Program& program, const SimdTable& simd) {
  // Lives no longer than the program.
  const std::shared_ptr<const Program> borrowed(std::shared_ptr<void>(), &program);
  HW_TRY(const CpuPlan plan, CpuPlan::make(borrowed, {}, {}, simd));
  return TempBytes{plan.temp_bytes(), plan.scratch_bytes() * static_cast<size_t>(thread_count())};
}

Status CpuExecutable::run(const StepInputs& step, ValueProbe* probe) {
  HW_CHECK(runner_.run(step, probe));
  ran_ = true;
  return ok();
}

Status CpuExecutable::write_input(const std::string& input, const Tensor& tensor) {
  for (const Port& port : plan_.program().inputs) {
    if (port.name != input) continue;
    Tensor& held = values_.held(port.value);
    assert(!held.empty() && "a shared input is its maker's to write");
    if (tensor.empty() || tensor.dtype() != held.dtype() || tensor.dims() != held.dims())
      return Error{tensor.empty() || tensor.dtype() == held.dtype() ? codes::size_mismatch : codes::dtype_mismatch,
                   input,
                   "Expected " + std::string(name(held.dtype())) + to_string(held.dims()) + ", got " +
                       std::string(name(tensor.dtype())) + to_string(tensor.dims()) + ".",
                   ""};
    if (tensor.bytes() > 0) std::memcpy(held.data(), tensor.data(), tensor.bytes());
    return ok();
  }
  return Error{codes::unknown_socket, input, "The program has no such input.", ""};
}

Result<Tensor> CpuExecutable::read(ValueId v) const {
  const Value& value = plan_.program()[v];
  if (!values_.held(v).empty()) return values_.held(v).clone();
  if (!values_.data(v) || !ran_ || plan_.is_channels_last(v))
    return Error{codes::unsupported, where_of(plan_.program(), v),
                 "The value was not kept readable, or nothing has run yet.", ""};
  Tensor copy(value.dtype, value.dims);
  if (copy.bytes() > 0) std::memcpy(copy.data(), values_.data(v), copy.bytes());
  return copy;
}

}  // namespace hw::cpu
