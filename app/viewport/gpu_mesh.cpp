#include "app/viewport/gpu_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "engine/core/codes.h"

namespace hw::viewport {
namespace {

Error bad_mesh(const Mesh& mesh, std::string reason) {
  return {codes::mesh_broken, mesh.name, std::move(reason), "Export the mesh again, or choose another one."};
}

Result<Buffer> host_buffer(const Device& device, const void* data, VkDeviceSize size) {
  HW_TRY(Buffer buffer, Buffer::create(device, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Placement::HostWrite));
  if (data) std::memcpy(buffer.data(), data, size);
  return buffer;
}

std::array<uint8_t, 4> colour_of(const Mesh& mesh, size_t vertex) {
  std::array<uint8_t, 4> bytes{255, 255, 255, 255};
  for (size_t c = 0; c < 3 && !mesh.colours.empty(); ++c)
    bytes[c] = static_cast<uint8_t>(std::lround(std::clamp(mesh.colours[vertex][c], 0.0f, 1.0f) * 255.0f));
  return bytes;
}

void copy(VkCommandBuffer commands, const Buffer& from, const Buffer& to) {
  const VkBufferCopy region{0, 0, from.size()};
  vkCmdCopyBuffer(commands, from.get(), to.get(), 1, &region);
}

}  // namespace

Status check_mesh(const Mesh& mesh) {
  if (mesh.triangles.empty() || mesh.positions.empty())
    return Error{codes::mesh_empty, mesh.name, "The mesh has no triangles.", "Choose a mesh with a surface."};
  if (mesh.normals.size() != mesh.positions.size()) return bad_mesh(mesh, "It has not one normal for every vertex.");
  if (!mesh.uvs.empty() && mesh.uvs.size() != mesh.positions.size())
    return bad_mesh(mesh, "It has not one texture coordinate for every vertex.");
  if (!mesh.colours.empty() && mesh.colours.size() != mesh.positions.size())
    return bad_mesh(mesh, "It has not one colour for every vertex.");
  for (const auto& triangle : mesh.triangles)
    for (const uint32_t index : triangle)
      if (index >= mesh.positions.size()) return bad_mesh(mesh, "A triangle names a vertex that does not exist.");
  for (const MeshPart& part : mesh.parts) {
    if (part.first_triangle > mesh.triangles.size() ||
        part.triangle_count > mesh.triangles.size() - part.first_triangle)
      return bad_mesh(mesh, "A part names triangles that do not exist.");
    if (part.texture && (part.texture->width <= 0 || part.texture->height <= 0 ||
                         part.texture->rgba.size() !=
                             static_cast<size_t>(part.texture->width) * static_cast<size_t>(part.texture->height) * 4))
      return bad_mesh(mesh, "A texture's size does not fit its pixels.");
  }
  return ok();
}

Status GpuMesh::stage_geometry(const Device& device, const Mesh& mesh) {
  HW_TRY(staging_->vertices, host_buffer(device, nullptr, mesh.positions.size() * sizeof(Vertex)));
  auto* out = static_cast<Vertex*>(staging_->vertices.data());
  for (size_t i = 0; i < mesh.positions.size(); ++i)
    out[i] = {mesh.positions[i], mesh.normals[i], mesh.uvs.empty() ? std::array<float, 2>{} : mesh.uvs[i],
              colour_of(mesh, i)};
  const VkDeviceSize index_bytes = mesh.triangles.size() * sizeof(mesh.triangles[0]);
  HW_TRY(staging_->indices, host_buffer(device, mesh.triangles.data(), index_bytes));
  HW_TRY(vertices_, Buffer::create(device, staging_->vertices.size(),
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                   Placement::Device));
  HW_TRY(indices_, Buffer::create(device, index_bytes,
                                  VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                  Placement::Device));
  return ok();
}

Result<size_t> GpuMesh::stage_texture(const Device& device, const Image& image) {
  const uint32_t limit = device.limits.maxImageDimension2D;
  const VkExtent2D extent{static_cast<uint32_t>(image.width), static_cast<uint32_t>(image.height)};
  if (extent.width > limit || extent.height > limit)
    return Error{codes::mesh_broken, "texture",
                 "It is " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                     " pixels; this device takes " + std::to_string(limit) + ".",
                 "Scale the texture down."};
  HW_TRY(Buffer buffer, host_buffer(device, image.rgba.data(), image.rgba.size()));
  HW_TRY(Image2D texture, Image2D::create(device, extent, VK_FORMAT_R8G8B8A8_UNORM,
                                          VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT));
  staging_->textures.push_back(std::move(buffer));
  textures_.push_back(std::move(texture));
  return textures_.size() - 1;
}

Status GpuMesh::write_descriptors(const Device& device, const Pipelines& pipelines) {
  const auto count = static_cast<uint32_t>(looks_.size());
  const bool wires = std::max(vertices_.size(), indices_.size()) <= device.limits.maxStorageBufferRange;
  const std::array<VkDescriptorPoolSize, 2> sizes{
      {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, count}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}}};
  VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool_info.maxSets = count + 1;
  pool_info.poolSizeCount = sizes.size();
  pool_info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  HW_VK(vkCreateDescriptorPool(device.device, &pool_info, nullptr, &pool));
  pool_ = {device.device, pool};
  std::vector<VkDescriptorSetLayout> layouts(count, pipelines.texture_set_layout.get());
  if (wires) layouts.push_back(pipelines.wire_set_layout.get());
  VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = pool;
  info.descriptorSetCount = static_cast<uint32_t>(layouts.size());
  info.pSetLayouts = layouts.data();
  sets_.resize(layouts.size());
  HW_VK(vkAllocateDescriptorSets(device.device, &info, sets_.data()));
  if (wires) {
    wire_set_ = sets_.back();
    sets_.pop_back();
    const std::array<VkDescriptorBufferInfo, 2> buffers{
        {{vertices_.get(), 0, VK_WHOLE_SIZE}, {indices_.get(), 0, VK_WHOLE_SIZE}}};
    VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = wire_set_;
    write.descriptorCount = buffers.size();
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = buffers.data();
    vkUpdateDescriptorSets(device.device, 1, &write, 0, nullptr);
  }
  for (size_t i = 0; i < looks_.size(); ++i) {
    const Look& look = looks_[i];
    const VkDescriptorImageInfo image{pipelines.texture_sampler(look.wrap_u, look.wrap_v),
                                      textures_[look.texture].view(), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = sets_[i];
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    write.pImageInfo = &image;
    vkUpdateDescriptorSets(device.device, 1, &write, 0, nullptr);
  }
  return ok();
}

Result<std::shared_ptr<GpuMesh>> GpuMesh::stage(const Device& device, const Pipelines& pipelines, const Mesh& mesh) {
  HW_CHECK(check_mesh(mesh));
  auto gpu = std::make_shared<GpuMesh>();
  gpu->staging_ = std::make_shared<Staging>();
  HW_CHECK(gpu->stage_geometry(device, mesh));
  gpu->has_uvs_ = !mesh.uvs.empty();
  HW_TRY(const size_t white, gpu->stage_texture(device, Image{1, 1, {255, 255, 255, 255}}));
  std::map<const Image*, size_t> known;  // parts often share a picture
  std::map<Look, size_t> looks;
  auto add_part = [&](const MeshPart& part) -> Status {
    Look look{white};
    if (part.texture && !mesh.uvs.empty()) {
      look.wrap_u = part.wrap_u;
      look.wrap_v = part.wrap_v;
      const auto found = known.find(part.texture.get());
      if (found != known.end()) {
        look.texture = found->second;
      } else {
        HW_TRY(look.texture, gpu->stage_texture(device, *part.texture));
        known[part.texture.get()] = look.texture;
      }
    }
    const auto [seen, added] = looks.try_emplace(look, gpu->looks_.size());
    if (added) gpu->looks_.push_back(look);
    gpu->parts_.push_back({part.first_triangle * 3, part.triangle_count * 3, part.base_color, seen->second});
    return ok();
  };
  for (const MeshPart& part : mesh.parts) HW_CHECK(add_part(part));
  if (mesh.parts.empty()) {
    MeshPart whole;
    whole.triangle_count = static_cast<uint32_t>(mesh.triangles.size());
    HW_CHECK(add_part(whole));
  }
  HW_CHECK(gpu->write_descriptors(device, pipelines));
  return gpu;
}

void GpuMesh::upload(Submission& submission) {
  if (!staging_) return;
  const VkCommandBuffer commands = submission.commands();
  copy(commands, staging_->vertices, vertices_);
  copy(commands, staging_->indices, indices_);
  VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
  for (size_t i = 0; i < textures_.size(); ++i) {
    image_barrier(commands, textures_[i].get(),
                  {VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                   0, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT});
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {textures_[i].extent().width, textures_[i].extent().height, 1};
    vkCmdCopyBufferToImage(commands, staging_->textures[i].get(), textures_[i].get(),
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    image_barrier(
        commands, textures_[i].get(),
        {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
         VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT});
  }
  submission.keep(std::move(staging_));
  staging_ = nullptr;
}

void GpuMesh::draw(VkCommandBuffer commands, const Pipelines& pipelines, const std::array<float, 16>& clip_from_object,
                   View view) const {
  if (view == View::wireframe && has_wires()) return draw_wires(commands, pipelines, clip_from_object);
  if (needs_uvs(view) && !has_uvs_) view = View::texture;
  const VkBuffer vertices = vertices_.get();
  const VkDeviceSize offset = 0;
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.gbuffer.get());
  vkCmdBindVertexBuffers(commands, 0, 1, &vertices, &offset);
  vkCmdBindIndexBuffer(commands, indices_.get(), 0, VK_INDEX_TYPE_UINT32);
  for (const Part& part : parts_) {
    if (part.index_count == 0) continue;
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.gbuffer_layout.get(), 0, 1,
                            &sets_[part.look], 0, nullptr);
    const GBufferPush push{clip_from_object, part.base_color, view};
    vkCmdPushConstants(commands, pipelines.gbuffer_layout.get(),
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(push), &push);
    vkCmdDrawIndexed(commands, part.index_count, 1, part.first_index, 0, 0);
  }
}

void GpuMesh::draw_wires(VkCommandBuffer commands, const Pipelines& pipelines,
                         const std::array<float, 16>& clip_from_object) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.wire.get());
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.wire_layout.get(), 0, 1, &wire_set_, 0,
                          nullptr);
  const WirePush push{clip_from_object};
  vkCmdPushConstants(commands, pipelines.wire_layout.get(), VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push), &push);
  for (const Part& part : parts_)
    if (part.index_count > 0) vkCmdDraw(commands, part.index_count, 1, part.first_index, 0);
}

}  // namespace hw::viewport
