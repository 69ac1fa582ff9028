// Running statistics for batch norms that no training has made any for.
#pragma once

#include <gtest/gtest.h>

#include "engine/backend/backend.h"
#include "engine/node/lower_example.h"

namespace hw::test {

/// Running statistics that a norm does something with.
inline void set_statistics(const Program& program, States& states) {
  for (const Param& param : program.params) {
    const bool mean = param.name.ends_with("running_mean"), variance = param.name.ends_with("running_var");
    if (!mean && !variance) continue;
    const Value& value = program[param.view];
    ASSERT_TRUE(states.write(value.name,
                             random_tensor(param.name, value.dtype, value.dims, mean ? -0.5 : 0.5, mean ? 0.5 : 2)));
  }
}

}  // namespace hw::test
