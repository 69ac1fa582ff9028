// The memory of this machine.
#pragma once

#include <cstddef>
#include <string>

namespace hw {

/// Bytes that the machine has; no limit when that cannot be known.
size_t machine_memory();
/// What the system could give now without swapping (Linux: MemAvailable); no limit when that cannot be known.
size_t available_memory();
/// What lies in memory of this process now (Linux: VmRSS); 0 when that cannot be known.
size_t resident_memory();
/// "236 MiB", "1.4 GiB".
std::string memory_text(size_t bytes);

}  // namespace hw
