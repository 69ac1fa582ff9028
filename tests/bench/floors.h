// What the machine at hand can do at best with the parts of a training step of the neural texture. Seconds for one
// step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/mesh.h"
#include "engine/program/program.h"

namespace hw::bench {

/// Tight loops over the same sizes and the same points as the engine's step; no generality, no promises on bits.
class Floors {
 public:
  /// positions: [points, 3] in [0, 1]. touched_blocks: blocks of 16 parameters that one step updates.
  Floors(const HashGridAttr& grid, std::vector<float> positions, int64_t touched_blocks,
         std::shared_ptr<const Mesh> mesh);
  ~Floors();

  double triad_bandwidth();  // bytes a second, counting 12 bytes an element
  double sampler();
  double hash_forward();
  double hash_backward();
  double products();  // oneDNN, the best of several row tilings
  double adam();

 private:
  struct State;
  std::unique_ptr<State> s_;
};

}  // namespace hw::bench
