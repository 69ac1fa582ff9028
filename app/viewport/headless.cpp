#include "app/viewport/headless.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "app/viewport/cpu_shading.h"
#include "app/viewport/field_kernel.h"
#include "engine/core/codes.h"

namespace hw::viewport {
namespace {

// A picture takes seconds; a card that needs a minute hangs. The CPU may compile a field for as long.
constexpr uint64_t kTimeoutNs = 60'000'000'000;

Status finish(const Device& device, Submitter& submitter, const std::shared_ptr<Submission>& submission) {
  HW_CHECK(submitter.submit(submission));
  const VkFence fence = submission->fence();
  const uint64_t limit = device.is_software ? UINT64_MAX : kTimeoutNs;
  HW_VK(vkWaitForFences(device.device, 1, &fence, VK_TRUE, limit));
  return ok();
}

Result<Image> read_picture(const Device& device, Submitter& submitter, const Pipelines& pipelines,
                           std::shared_ptr<const ShadedFrame> frame, const Float3& eye, const ComposeOptions& options) {
  const VkExtent2D extent = frame->gbuffer().extent();
  HW_TRY(const auto picture, Picture::create(device, pipelines, extent));
  Image image{static_cast<int>(extent.width), static_cast<int>(extent.height), {}};
  image.rgba.resize(size_t{extent.width} * extent.height * 4);
  HW_TRY(const Buffer copy,
         Buffer::create(device, image.rgba.size(), VK_BUFFER_USAGE_TRANSFER_DST_BIT, Placement::HostRead));
  HW_TRY(const auto submission, submitter.begin());
  picture->record(submission, pipelines, std::move(frame), eye, options);
  image_barrier(submission->commands(), picture->image(),
                {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                 VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT});
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {extent.width, extent.height, 1};
  vkCmdCopyImageToBuffer(submission->commands(), picture->image(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, copy.get(), 1,
                         &region);
  host_read_barrier(submission->commands(), copy.get());
  HW_CHECK(finish(device, submitter, submission));
  std::memcpy(image.rgba.data(), copy.data(), image.rgba.size());
  return image;
}

Result<FieldPass> gpu_field_pass(const Device& device, const Pipelines& pipelines, const GpuField& field,
                                 const GBuffer& gbuffer) {
  HW_TRY(const std::vector<uint32_t> code, compile_field(device, *field.shader));
  HW_TRY(auto kernel, FieldKernel::create(device, code));
  HW_TRY(const std::vector<uint32_t> words, field.weights());
  HW_TRY(auto weights, FieldWeights::stage(device, words));
  return FieldPass::create(device, pipelines, std::move(kernel), std::move(weights), gbuffer);
}

Result<RenderedImage> draw(const Device& device, Submitter& submitter, const Mesh& mesh, const Camera& camera,
                           VkExtent2D extent, const ColorField& field, const RenderOptions& options) {
  HW_TRY(const Pipelines pipelines, Pipelines::create(device));
  HW_TRY(const auto gbuffer, GBuffer::create(device, pipelines, extent, true));
  HW_TRY(const auto gpu_mesh, GpuMesh::stage(device, pipelines, mesh));
  if (options.view == View::wireframe && !gpu_mesh->has_wires())
    return Error{codes::gpu_out_of_memory, mesh.name, "The mesh is too large for this device's wireframe.",
                 "Choose another view."};
  Camera framed = camera;
  framed.set_scene(mesh.bounds_min, mesh.bounds_max);
  HW_TRY(const auto submission, submitter.begin());
  gbuffer->record(*submission, pipelines, gpu_mesh.get(),
                  framed.clip_from_object(static_cast<float>(extent.width) / static_cast<float>(extent.height)),
                  options.view);
  std::shared_ptr<const Buffer> colors;
  if (options.gpu_field && options.view == View::field) {
    HW_TRY(const FieldPass pass, gpu_field_pass(device, pipelines, *options.gpu_field, *gbuffer));
    HW_CHECK(pass.record(*submission));
    colors = pass.colors();
  }
  HW_CHECK(finish(device, submitter, submission));

  RenderedImage result;
  Points points = gather_points(*gbuffer);
  result.covered.assign(size_t{extent.width} * extent.height, 0);
  result.texture.reserve(points.pixels.size());
  for (const uint32_t pixel : points.pixels) {
    const GBuffer::Half4& c = gbuffer->albedos()[pixel];
    result.covered[pixel] = 1;
    result.texture.push_back({half_to_float(c[0]), half_to_float(c[1]), half_to_float(c[2])});
  }
  if (!colors && field && options.view == View::field) {
    HW_TRY(result.field, evaluate_field(field, points));
    HW_TRY(colors, create_color_buffer(device, result.covered.size()));
    pack_colors(points, result.field, {static_cast<uint32_t*>(colors->data()), result.covered.size()});
  }
  HW_TRY(auto frame, ShadedFrame::create(device, pipelines, gbuffer, std::move(colors)));
  HW_TRY(result.image, read_picture(device, submitter, pipelines, std::move(frame), framed.eye(), options.compose));
  submitter.drain();
  result.positions = std::move(points.positions);
  result.normals = std::move(points.normals);
  return result;
}

}  // namespace

Result<RenderedImage> render_headless(const VulkanContext& context, const Mesh& mesh, const Camera& camera, int width,
                                      int height, const ColorField& field, const RenderOptions& options) {
  if (width <= 0 || height <= 0)
    return Error{codes::picture_size, "",
                 "A picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels cannot be drawn.",
                 "Choose a width and height of at least 1."};
  HW_CHECK(check_mesh(mesh));
  if (needs_uvs(options.view) && mesh.uvs.empty())
    return Error{codes::asset_lacks, mesh.name, "The mesh has no texture coordinates to show.", "Choose another view."};
  HW_TRY(Submitter submitter, Submitter::create(context.device()));
  const VkExtent2D extent{static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
  return draw(context.device(), submitter, mesh, camera, extent, field, options);
}

Result<RenderedImage> render_headless(const Mesh& mesh, const Camera& camera, int width, int height,
                                      const ColorField& field, const RenderOptions& options) {
  HW_TRY(const auto context, VulkanContext::create());
  return render_headless(*context, mesh, camera, width, height, field, options);
}

double psnr(const std::vector<Float3>& a, const std::vector<Float3>& b) {
  if (a.empty() || a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      const double d = static_cast<double>(a[i][c]) - b[i][c];
      sum += d * d;
    }
  const double mean = sum / (3.0 * static_cast<double>(a.size()));
  return mean > 0 ? -10 * std::log10(mean) : std::numeric_limits<double>::infinity();
}

}  // namespace hw::viewport
