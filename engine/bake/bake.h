// Bakes a field into textures of a mesh: the network's output becomes a picture over the mesh's own uv coordinates.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "engine/core/color_field.h"
#include "engine/core/mesh.h"

namespace hw {

/// Where a bake's texture coordinates come from. `automatic`: the mesh's own if they can hold the picture, else new.
enum class BakeUvs { automatic, keep, unwrap };

struct BakeOptions {
  static constexpr int kMinSize = 16, kMaxSize = 8192;
  int size = 1024;  // texels a side; the picture is square
  BakeUvs uvs = BakeUvs::automatic;
  int gutter = 8;                             // texels around each chart that continue it, for filtering at seams
  std::function<void(double)> progress;       // 0 to 1; called on the baking thread, now and then
  const std::atomic<bool>* cancel = nullptr;  // read between blocks of 16,384 texels
};

/// What a bake made.
struct Bake {
  std::shared_ptr<const Mesh>
      mesh;  // the same surface; each part's texture is its bake, its base colour white; no vertex colours
  bool unwrapped = false;  // with new texture coordinates (see unwrap.h)
  std::string reason;      // why the mesh's own could not be kept; "" when they were, or were not wanted
  int textures = 0;        // one for all parts when their uvs leave room for it, else one a part
  size_t covered = 0;      // texels with a piece of the surface under their centre, all textures
};

/// Evaluates the field at the centre of every texel that the surface covers, and in the gutter at the nearest point of
/// the surface. 8 bits a channel, sRGB-encoded as the field's colours are. Memory: 8 bytes a texel.
/// A mesh's own uvs cannot hold the picture when there are none, when they overlap in more than 0.1 % of the covered
/// texels, or when they leave more than 1 % of the surface without room. Errors: HW-C001 size; HW-A003 such uvs with
/// `keep`, or a size too small for new charts; HW-R003 colours that are not finite; HW-R004 cancelled; the field's own.
Result<Bake> bake_field(const Mesh& mesh, const ColorField& field, const BakeOptions& options = {});

}  // namespace hw
