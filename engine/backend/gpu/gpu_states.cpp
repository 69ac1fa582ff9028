#include "engine/backend/gpu/gpu_states.h"

#include <algorithm>
#include <limits>

#include "engine/backend/gpu/op_context.h"
#include "engine/backend/host_states.h"
#include "engine/core/codes.h"
#include "engine/core/sizes.h"

namespace hw::gpu {
namespace {

/// The memory of an instruction that needs nothing but its operands.
class OperandsAlone : public OpMemory {
 public:
  explicit OperandsAlone(std::vector<void*> values) : values_(std::move(values)) {}
  void* value(ValueId v) override { return values_[v]; }
  void* scratch(size_t, size_t) override { return nullptr; }
  Result<const void*> constant(const void*, size_t) override { return static_cast<const void*>(nullptr); }
  const StepData* step() override { return nullptr; }
  Result<const void*> from_host(size_t, FillBatch) override { return static_cast<const void*>(nullptr); }

 private:
  std::vector<void*> values_;
};

/// What stands for values that a failed GPU does not give.
Tensor unknown(DType dtype, const Dims& dims) {
  if (!info(dtype).is_float) return Tensor::zeros(dtype, dims);
  const std::vector<double> nan(static_cast<size_t>(element_count(dims)), std::numeric_limits<double>::quiet_NaN());
  return Tensor::from_f64(dtype, dims, nan);
}

}  // namespace

std::vector<std::string> GpuStates::names() const {
  std::vector<std::string> all;
  for (const auto& [name, state] : states_) all.push_back(name);
  return all;
}

size_t GpuStates::bytes(const std::string& name) const {
  const State& s = states_.at(name);
  return byte_count(s.dtype, s.dims);
}

Tensor GpuStates::read(const std::string& name) const {
  const State& s = states_.at(name);
  Tensor tensor(s.dtype, s.dims);
  if (tensor.bytes() == 0) return tensor;
  if (!device_->usable() ||
      !device_->at(device_->driver->download(tensor.data(), s.memory->data(), tensor.bytes()), name))
    return unknown(s.dtype, s.dims);
  return tensor;
}

std::vector<double> GpuStates::sample(const std::string& name, std::span<const int64_t> places) const {
  const State& s = states_.at(name);
  Tensor chosen(s.dtype, {static_cast<int64_t>(places.size())});
  if (places.empty()) return {};
  if (!device_->usable() || !device_->at(gather(s, name, places, chosen), name))
    return unknown(s.dtype, chosen.dims()).to_f64();
  return chosen.to_f64();
}

Status GpuStates::gather(const State& state, const std::string& name, std::span<const int64_t> places,
                         Tensor& chosen) const {
  Program p;
  p.values.resize(3);
  const auto count = static_cast<int64_t>(places.size());
  p.values[0].dtype = state.dtype, p.values[0].dims = {element_count(state.dims)};
  p.values[1].dtype = DType::i64, p.values[1].dims = {count};
  p.values[2].dtype = state.dtype, p.values[2].dims = {count};
  HW_TRY(const Buffer index, device_->take(places.size_bytes(), name, "a sample of it"));
  HW_TRY(const Buffer out, device_->take(chosen.bytes(), name, "a sample of it"));
  Instr instr;
  instr.op = Op::gather;
  instr.in = {0, 1};
  instr.out = {2};
  OperandsAlone memory({state.memory->data(), index.data(), out.data()});
  OpContext c(p, instr, memory);
  Driver& driver = *device_->driver;
  HW_CHECK(driver.plan(c));
  HW_CHECK(driver.upload(index.data(), places.data(), places.size_bytes()));
  for (const Launch& launch : c.take_launches()) HW_CHECK(launch(driver));
  return driver.download(chosen.data(), out.data(), chosen.bytes());
}

Status GpuStates::write(const std::string& name, const Tensor& tensor) {
  const auto it = states_.find(name);
  if (it == states_.end())
    return Error{codes::weights_mismatch, name, "There is no such parameter or state.", "Check the name."};
  State& s = it->second;
  if (tensor.empty() || s.dtype != tensor.dtype() || s.dims != tensor.dims())
    return Error{codes::weights_mismatch, name,
                 "Expected " + std::string(hw::name(s.dtype)) + to_string(s.dims) + ", got " +
                     std::string(hw::name(tensor.dtype())) + to_string(tensor.dims()) + ".",
                 "Load weights that were saved from the same graph."};
  HW_CHECK(device_->usable());
  return tensor.bytes() == 0
             ? ok()
             : device_->at(device_->driver->upload(s.memory->data(), tensor.data(), tensor.bytes()), name);
}

bool GpuStates::fits(const Value& value) const {
  const auto it = states_.find(value.name);
  return it != states_.end() && it->second.dtype == value.dtype && it->second.dims == value.dims;
}

Result<GpuStates::State> GpuStates::make(const std::string& name, const Tensor& tensor) const {
  HW_TRY(Buffer memory, device_->take(tensor.bytes(), name, "parameters and optimiser state"));
  if (tensor.bytes() > 0)
    HW_CHECK(device_->at(device_->driver->upload(memory.data(), tensor.data(), tensor.bytes()), name));
  return State{tensor.dtype(), tensor.dims(), std::make_shared<Buffer>(std::move(memory))};
}

// The host's rules decide what is made anew and how; only masters whose view is missing are read back for them.
Status GpuStates::prepare(const Program& program, uint64_t seed, std::vector<std::string>* reinitialised) {
  auto host = std::make_shared<HostStates>();
  for (const Value& v : program.values)
    if (v.storage == Storage::state && fits(v)) host->put(v.name, Tensor(v.dtype, v.dims));
  for (const Param& p : program.params)
    if (fits(program[p.master]) && !fits(program[p.view]))
      host->put(program[p.master].name, read(program[p.master].name));
  std::vector<std::string> reported;
  prepare_host_states(program, host, seed, &reported);
  std::map<std::string, State> made;
  for (const Value& v : program.values) {
    if (v.storage != Storage::state || made.contains(v.name)) continue;
    const bool again = std::find(reported.begin(), reported.end(), v.name) != reported.end();
    if (fits(v) && !again) continue;
    HW_TRY(State state, make(v.name, host->at(v.name)));
    made.emplace(v.name, std::move(state));
  }
  for (auto& [name, state] : made) states_.insert_or_assign(name, std::move(state));
  if (reinitialised) reinitialised->insert(reinitialised->end(), reported.begin(), reported.end());
  return ok();
}

}  // namespace hw::gpu
