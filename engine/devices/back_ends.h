// The list of back ends. One registers by a row in kBackEnds of back_ends.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/temp_bytes.h"

namespace hw {

struct BackEnd {
  const char* id;  // of its devices: "cpu"; "cuda" for "cuda:0", "cuda:1" …
  Result<std::shared_ptr<Device>> (*make)(const std::string& id);
  TempBytes (*temp_bytes)(const Program&);
  std::vector<std::string> (*ids)();                // of the devices there are, which starts its library; null: the one
  std::optional<Error> (*absent)();                 // why there are none; null: there is always the one
  std::string (*name)(size_t index);                // of the GPU of that number
  size_t (*resident_bytes)(const std::string& id);  // null: it computes in host memory
};

/// In the order they are offered.
std::span<const BackEnd> back_ends();

/// The one that has the device with this canonical id. Error HW-C001 with the list of ids.
Result<const BackEnd*> find_back_end(const std::string& id);

/// What a program takes on a device of which nothing is known: every temporary has storage of its own.
TempBytes all_temp_bytes(const Program& program);

}  // namespace hw
