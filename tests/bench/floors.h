// What the machine at hand can do at best with the parts of a training step of a field: a hash grid and an MLP that
// learn a surface's or a picture's colour. Seconds for one step.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "engine/core/mesh.h"
#include "engine/program/program.h"

namespace hw::bench {

/// What a field learns from. A picture is sampled at pixel centres.
using Sampled = std::variant<std::shared_ptr<const Mesh>, std::shared_ptr<const Image>>;

/// Tight loops over the same sizes and the same points as the engine's step; no generality, no promises on bits.
class Floors {
 public:
  /// positions: [points, grid.dims] in [0, 1]. touched_blocks: blocks of 16 parameters that one step updates.
  Floors(const HashGridAttr& grid, std::vector<float> positions, int64_t touched_blocks, Sampled sampled);
  ~Floors();

  double triad_bandwidth();  // bytes a second, counting 12 bytes an element
  double sampler();
  double hash_forward();
  double hash_backward();
  double products();  // oneDNN, the best of several row tilings
  double adam();

 private:
  struct State;
  double surface_sampler(const Mesh& mesh);
  double image_sampler(const Image& image);
  template <int D>
  double hash_forward_in();
  template <int D>
  double hash_backward_in();
  std::unique_ptr<State> s_;
};

}  // namespace hw::bench
