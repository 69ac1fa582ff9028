// Constants: values by name that do not depend on what a graph is given.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/interop/onnx/stored_tensor.h"

namespace hw::interop {

/// What still lies in a file is read for the operator that asks for it, and not kept for the next one. Single threaded.
class Constants {
 public:
  void define(const std::string& name, StoredTensor value);
  bool contains(const std::string& name) const { return all_.contains(name); }
  /// What is known of it without reading it. Null: there is none of this name.
  const StoredTensor* find(const std::string& name) const;
  /// Its elements, until release(). Null: there is none, or it cannot be read; see error().
  const Tensor* value(const std::string& name) const;
  /// What value() has given is used no more.
  void release();
  /// The first that could not be read, or was read of a file that changed meanwhile: nothing made of it is sound.
  const std::optional<Error>& error() const { return error_; }
  /// The same, and keeps the error.
  Result<Tensor> read(const StoredTensor& value) const;

 private:
  std::map<std::string, StoredTensor> all_;
  mutable std::map<std::string, Tensor> read_;  // since the last release()
  mutable std::optional<Error> error_;
};

}  // namespace hw::interop
