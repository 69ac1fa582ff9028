// A device that spoils one output of one op, for tests of what must find it.
#pragma once

#include <functional>

#include "engine/backend/backend.h"

namespace hw::test {

/// What is read of one value, or of one state, is changed. May be set anew between reads.
struct Spoiling {
  ValueId value = kNoValue;
  std::string state;
  std::function<Tensor(const Tensor&)> change;
};

/// `inner`, but for what `spoiling` says.
std::shared_ptr<Device> spoiled_device(std::shared_ptr<Device> inner, std::shared_ptr<const Spoiling> spoiling);

}  // namespace hw::test
