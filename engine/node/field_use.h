// What a viewer makes of a field that is wired to it: what its channels mean, and what it depends on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// The meaning of a point's values, the C of [N, C].
enum class Channels : uint8_t {
  color,     // red, green, blue in [0, 1]
  density,   // what light loses along a unit of length, at least 0
  distance,  // to the nearest surface, in the positions' unit; negative inside
  vector,    // x, y, z
};

struct ChannelsInfo {
  std::string_view name;   // "color"
  int64_t count;           // C
  std::string_view words;  // "red, green, blue"
};
const ChannelsInfo& info(Channels channels);
/// HW-S002 at `where` unless `count` is that of `channels`. `got`: the wire's shape, "[N, 4]".
Status check_channels(Channels channels, int64_t count, const std::string& where, const std::string& got);

struct FieldUse {
  Channels channels = Channels::color;
  std::vector<std::string> variables;  // domain variables that the viewer has values of: "position", "pixel"
};

}  // namespace hw
