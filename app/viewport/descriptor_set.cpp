#include "app/viewport/descriptor_set.h"

#include <array>
#include <vector>

namespace hw::viewport {

Result<UniqueSetLayout> create_set_layout(const Device& device, std::span<const VkDescriptorType> types,
                                          VkShaderStageFlags stage) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(types.size());
  for (uint32_t i = 0; i < types.size(); ++i) bindings[i] = {i, types[i], 1, stage, nullptr};
  VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  info.bindingCount = static_cast<uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  HW_VK(vkCreateDescriptorSetLayout(device.device, &info, nullptr, &layout));
  return UniqueSetLayout(device.device, layout);
}

Result<DescriptorSet> DescriptorSet::create(const Device& device, VkDescriptorSetLayout layout, VkSampler sampler,
                                            std::span<const VkImageView> images, std::span<const VkBuffer> buffers) {
  DescriptorSet made;
  const std::array<VkDescriptorPoolSize, 2> sizes{
      {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, static_cast<uint32_t>(images.size())},
       {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, static_cast<uint32_t>(buffers.size())}}};
  VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = sizes.size();
  pool_info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  HW_VK(vkCreateDescriptorPool(device.device, &pool_info, nullptr, &pool));
  made.pool = {device.device, pool};
  VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = pool;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  HW_VK(vkAllocateDescriptorSets(device.device, &info, &made.set));

  std::vector<VkDescriptorImageInfo> image_infos;
  for (const VkImageView view : images)
    image_infos.push_back({sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL});
  std::vector<VkDescriptorBufferInfo> buffer_infos;
  for (const VkBuffer buffer : buffers) buffer_infos.push_back({buffer, 0, VK_WHOLE_SIZE});
  std::vector<VkWriteDescriptorSet> writes(images.size() + buffers.size());
  for (size_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = made.set;
    writes[i].dstBinding = static_cast<uint32_t>(i);
    writes[i].descriptorCount = 1;
    if (i < images.size()) {
      writes[i].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
      writes[i].pImageInfo = &image_infos[i];
    } else {
      writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      writes[i].pBufferInfo = &buffer_infos[i - images.size()];
    }
  }
  vkUpdateDescriptorSets(device.device, static_cast<uint32_t>(writes.size()), writes.data(), 0, nullptr);
  return made;
}

}  // namespace hw::viewport
