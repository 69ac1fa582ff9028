// States in host memory and how they start.
#include "engine/backend/host_states.h"

#include <cassert>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/convert.h"
#include "engine/core/philox.h"
#include "engine/kernels/random.h"

namespace hw {
namespace {

Tensor initial(const Value& value, const Init& init, uint64_t seed) {
  if (init.kind == Init::Kind::zeros) return Tensor::zeros(value.dtype, value.dims);
  Tensor single(DType::f32, value.dims);
  float* out = single.as<float>();
  const auto factor = static_cast<float>(init.a);
  for (int64_t e = 0; e < single.size(); ++e) {
    if (init.kind == Init::Kind::constant) {
      out[e] = factor;
      continue;
    }
    const auto index = static_cast<uint64_t>(e);
    const Philox4 words = philox_block(seed, init.stream, 0, index / 4);
    if (init.kind == Init::Kind::normal) {
      float pair[2];
      kernels::normal_pair(words[index % 4 / 2 * 2], words[index % 4 / 2 * 2 + 1], pair[0], pair[1]);
      out[e] = pair[index % 2] * factor;
    } else {
      out[e] = (2.0f * uniform01(words[index % 4]) - 1.0f) * factor;
    }
  }
  return single.to(value.dtype);
}

}  // namespace

std::vector<std::string> HostStates::names() const {
  std::vector<std::string> all;
  for (const auto& [name, tensor] : tensors_) all.push_back(name);
  return all;
}

size_t HostStates::bytes(const std::string& name) const {
  const auto it = tensors_.find(name);
  assert(it != tensors_.end());
  return it->second.bytes();
}

Tensor HostStates::read(const std::string& name) const {
  const auto it = tensors_.find(name);
  assert(it != tensors_.end());
  return it->second.clone();
}

std::vector<double> HostStates::sample(const std::string& name, std::span<const int64_t> places) const {
  const auto it = tensors_.find(name);
  assert(it != tensors_.end());
  const size_t size = size_of(it->second.dtype());
  const auto* bytes = it->second.as<std::byte>();
  std::vector<std::byte> chosen(places.size() * size);
  for (size_t k = 0; k < places.size(); ++k)
    std::memcpy(chosen.data() + k * size, bytes + static_cast<size_t>(places[k]) * size, size);
  std::vector<double> values(places.size());
  convert(DType::f64, values.data(), it->second.dtype(), chosen.data(), values.size());
  return values;
}

Tensor& HostStates::at(const std::string& name) {
  const auto it = tensors_.find(name);
  assert(it != tensors_.end());
  return it->second;
}

Status HostStates::write(const std::string& name, const Tensor& tensor) {
  const auto it = tensors_.find(name);
  if (it == tensors_.end())
    return Error{codes::weights_mismatch, name, "There is no such parameter or state.", "Check the name."};
  Tensor& state = it->second;
  if (tensor.empty() || state.dtype() != tensor.dtype() || state.dims() != tensor.dims())
    return Error{codes::weights_mismatch, name,
                 "Expected " + std::string(hw::name(state.dtype())) + to_string(state.dims()) + ", got " +
                     std::string(hw::name(tensor.dtype())) + to_string(tensor.dims()) + ".",
                 "Load weights that were saved from the same graph."};
  std::memcpy(state.data(), tensor.data(), state.bytes());
  mark_written();
  return ok();
}

std::shared_ptr<HostStates> prepare_host_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                std::vector<std::string>* reinitialised) {
  auto store = states ? std::dynamic_pointer_cast<HostStates>(std::move(states)) : std::make_shared<HostStates>();
  assert(store && "states of another kind of device");
  const auto fits = [&](const Value& v) {
    return store->has(v.name) && store->at(v.name).dtype() == v.dtype && store->at(v.name).dims() == v.dims;
  };
  const auto make = [&](const Value& v, Tensor tensor) {
    store->put(v.name, std::move(tensor));
    if (reinitialised) reinitialised->push_back(v.name);
  };
  std::set<ValueId> of_params;
  for (const Param& param : program.params) {
    const Value &view = program[param.view], &master = program[param.master];
    of_params.insert({param.view, param.master});
    const bool kept = fits(master);
    if (!kept) make(master, initial(master, param.init, seed));
    if (param.view == param.master) continue;
    if (kept && fits(view)) continue;
    const Tensor& whole = store->at(master.name);  // which is written by itself: to() alone would share its buffer
    store->put(view.name, view.dtype == master.dtype ? whole.clone() : whole.to(view.dtype));
    if (!kept && reinitialised) reinitialised->push_back(view.name);
  }
  for (ValueId id = 0; id < program.values.size(); ++id) {
    const Value& v = program[id];
    if (v.storage == Storage::state && !of_params.contains(id) && !fits(v)) make(v, Tensor::zeros(v.dtype, v.dims));
  }
  return store;
}

}  // namespace hw
