#include "app/interop/onnx/constants.h"

namespace hw::interop {

void Constants::define(const std::string& name, StoredTensor value) {
  read_.erase(name);
  all_[name] = std::move(value);
}

const StoredTensor* Constants::find(const std::string& name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

const Tensor* Constants::value(const std::string& name) const {
  const StoredTensor* stored = find(name);
  if (!stored) return nullptr;
  if (const Tensor* here = stored->in_memory()) return here;
  if (const auto before = read_.find(name); before != read_.end()) return &before->second;
  auto made = read(*stored);
  return made ? &(read_[name] = std::move(*made)) : nullptr;
}

Result<Tensor> Constants::read(const StoredTensor& value) const {
  auto made = value.read();
  if (!made && !error_) error_ = made.error();
  return made;
}

void Constants::release() {
  for (const auto& [name, tensor] : read_)
    if (const Status sound = check_mapped(tensor.data()); !sound && !error_) error_ = sound.error();
  read_.clear();
}

}  // namespace hw::interop
