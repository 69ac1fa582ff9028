#include "engine/node/field_use.h"

#include "engine/core/codes.h"

namespace hw {

const ChannelsInfo& info(Channels channels) {
  static constexpr ChannelsInfo kInfo[] = {{"color", 3, "red, green, blue"},
                                           {"density", 1, "density"},
                                           {"distance", 1, "distance"},
                                           {"vector", 3, "x, y, z"}};
  return kInfo[static_cast<size_t>(channels)];
}

Status check_channels(Channels channels, int64_t count, const std::string& where, const std::string& got) {
  const ChannelsInfo& wanted = info(channels);
  if (count == wanted.count) return ok();
  return Error{codes::size_mismatch, where,
               "axis C must have size " + std::to_string(wanted.count) + " (" + std::string(wanted.words) + "), got " +
                   got + ".",
               wanted.count == 1 ? "Slice one channel." : "Slice three channels."};
}

}  // namespace hw
