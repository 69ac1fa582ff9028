// Draws one picture without a window, for the command line and tests, and measures it.
#pragma once

#include <cstdint>
#include <vector>

#include "app/viewport/camera.h"
#include "app/viewport/compose.h"
#include "app/viewport/vulkan_context.h"
#include "engine/core/color_field.h"
#include "engine/core/mesh.h"
#include "engine/field/gpu_field.h"

namespace hw::viewport {

struct RenderOptions {
  View view = View::field;
  ComposeOptions compose;
  /// The field as the device that draws computes it, in the place of the evaluator. Null: the evaluator does.
  std::shared_ptr<const GpuField> gpu_field;
};

/// The picture and the numbers behind it. Float data has one entry per covered pixel, rows top to bottom.
struct RenderedImage {
  Image image;                   // opaque RGBA8
  std::vector<uint8_t> covered;  // width * height; 1 where the mesh is
  std::vector<Float3> positions;
  std::vector<Float3> normals;
  std::vector<Float3> field;    // as the evaluator returned it; empty without a field, or where the device computed it
  std::vector<Float3> texture;  // the surface's own colour in the view, sRGB-encoded; in `field` the mesh's texture
};

/// Draws on its own device. `field` may be empty: the mesh's own texture is shown. It is evaluated in View::field only.
/// Errors: HW-V001/2 no Vulkan or device, HW-V003/4/5 the device failed, HW-V006 size, HW-V007/8 mesh, HW-V011 wrong
/// number of colours, HW-R008 the device cannot compute the gpu_field, HW-A003 a view of texture coordinates that the
/// mesh has not; the field's own errors pass through.
Result<RenderedImage> render_headless(const Mesh& mesh, const Camera& camera, int width, int height,
                                      const ColorField& field, const RenderOptions& options = {});
/// The same on a context that is kept, for several pictures.
Result<RenderedImage> render_headless(const VulkanContext& context, const Mesh& mesh, const Camera& camera, int width,
                                      int height, const ColorField& field, const RenderOptions& options = {});

/// Peak signal-to-noise ratio in dB over all pixels and channels, peak 1.0, on sRGB-encoded values as they are.
/// Infinite for equal arrays; NaN for empty ones or different lengths.
double psnr(const std::vector<Float3>& a, const std::vector<Float3>& b);

}  // namespace hw::viewport
