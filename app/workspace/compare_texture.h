// What a field costs, and how near it comes, beside the texture that it replaces.
#pragma once

#include <optional>
#include <string>

#include "app/workspace/open_graph.h"
#include "engine/plan/weights.h"

namespace hw::workspace {

struct TextureComparison {
  static constexpr size_t kMostTexels = 4'194'304;
  std::string viewer;    // id of the node that shows the field in the texture's place
  size_t texels = 0;     // of the picture, or of all textures of the mesh
  size_t png_bytes = 0;  // as PNG of 8 bits a channel, RGBA, as this program writes it
  size_t bc7_bytes = 0;  // as BC7: 16 bytes for 4 × 4 texels, without smaller levels
  double psnr = 0;       // dB, peak 1; infinite where the field gives the same
  std::string psnr_is;   // what is compared with what
};

/// The output `wire` beside the texture that it replaces: that of the first Image View with a picture, or Viewport with
/// a textured mesh, that shows it; nothing where none does. PSNR: the field's colours against all pixels or, for a
/// mesh, against its colours at 65,536 points of the surface, drawn as the Surface Sampler does. On the cpu, nodes that
/// are pinned on their devices. `weights` null: initial ones, as for those that `partial` weights lack. Errors: HW-A003
/// more than kMostTexels; assets; HW-F005; HW-R003 colours that are not finite.
Result<std::optional<TextureComparison>> compare_with_texture(const OpenGraph& loaded, const SocketRef& wire,
                                                              std::shared_ptr<const Weights> weights, bool partial);

/// 8 · bytes ÷ texels; texels > 0.
double bits_per_texel(size_t bytes, size_t texels);

}  // namespace hw::workspace
