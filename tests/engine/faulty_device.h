// A device with one planted fault, for tests of what must find it.
#pragma once

#include "engine/backend/backend.h"

namespace hw::test {

/// own_stream: the random ops of a node draw from another Philox stream. f16_accumulate: a product keeps its running
/// sum in f16. stale: an output is that of the step before. swallowed_nan: NaN becomes 0. transposed: a product reads
/// its second factor as if rows were columns. lost_update: states stay as they were. by_threads: a
/// product adds up a sum for each thread, so that the number of threads shows in its bits.
enum class Fault : uint8_t {
  none,
  own_stream,
  f16_accumulate,
  stale,
  swallowed_nan,
  transposed,
  lost_update,
  by_threads
};

/// Whether the fault can be planted in this op.
bool applies(Fault fault, const Program& program, const Instr& instr);

/// Runs every op of a program by itself on the cpu device, which gives the cpu's bits but for output 0 of instruction
/// `at`, or the states that it writes.
std::shared_ptr<Device> faulty_device(Fault fault, size_t at);

}  // namespace hw::test
