// A model, or why there is none, as bytes between the import child and its parent on one machine.
#pragma once

#include <string_view>

#include "engine/io/mesh/model.h"

namespace hw {

/// Writes to a file descriptor. False: the write failed (full, limit).
bool write_model(int fd, const Result<Model>& outcome);

/// Nothing in `bytes` is trusted: every count is checked against the bytes that are left before memory is taken, every
/// index against its array. Error HW-A004 at `file` when they do not fit; else the outcome that was written.
Result<Model> read_model(std::string_view bytes, const std::string& file);

}  // namespace hw
