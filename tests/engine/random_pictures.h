// Networks on pictures, made by chance: convolutions, norms, pools, branches, casts, with a loss and a Train node.
#pragma once

#include <cstdint>

#include "engine/graph/lower/lower.h"

namespace hw::test {

struct RandomPictures {
  Graph graph;
  SocketRef prediction;  // what the loss judges
  SocketRef between;     // a wire on the way to it, or the same one
};

/// The same one for a seed, whatever the machine. Of small, mostly odd sizes; validates without an error.
RandomPictures random_pictures(uint64_t seed);

}  // namespace hw::test
