#include "tests/shader/compute_device.h"

#include <cstdlib>
#include <cstring>

#include "engine/core/codes.h"

#define HW_VK(call)                                                                          \
  do {                                                                                       \
    if (const VkResult hw_vk_ = (call); hw_vk_ != VK_SUCCESS)                                \
      return Error{codes::vulkan_failed, #call, "Code " + std::to_string(hw_vk_) + ".", ""}; \
  } while (0)

namespace hw::test {
namespace {

uint32_t compute_family(VkPhysicalDevice physical) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return i;
  return 0;
}

}  // namespace

Result<std::unique_ptr<ComputeDevice>> ComputeDevice::create() {
  std::unique_ptr<ComputeDevice> device(new ComputeDevice);
  HW_CHECK(device->open());
  return device;
}

Status ComputeDevice::open() {
  VkApplicationInfo app{};
  app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  app.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo instance{};
  instance.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance.pApplicationInfo = &app;
  HW_VK(vkCreateInstance(&instance, nullptr, &instance_));
  uint32_t count = 0;
  HW_VK(vkEnumeratePhysicalDevices(instance_, &count, nullptr));
  std::vector<VkPhysicalDevice> devices(count);
  HW_VK(vkEnumeratePhysicalDevices(instance_, &count, devices.data()));
  const char* const wanted = std::getenv("HW_VULKAN_DEVICE");
  for (const VkPhysicalDevice d : devices) {
    VkPhysicalDeviceFeatures has{};
    vkGetPhysicalDeviceFeatures(d, &has);
    VkPhysicalDeviceFloatControlsProperties controls{};
    controls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &controls;
    vkGetPhysicalDeviceProperties2(d, &properties);
    name_ = properties.properties.deviceName;
    if (!has.shaderFloat64 || !has.shaderInt64 || (wanted && name_.find(wanted) == std::string::npos)) continue;
    physical_ = d;
    behaviour_ = {
        controls.shaderDenormPreserveFloat32 != 0,           controls.shaderDenormFlushToZeroFloat32 != 0,
        controls.shaderDenormPreserveFloat64 != 0,           controls.shaderDenormFlushToZeroFloat64 != 0,
        controls.shaderSignedZeroInfNanPreserveFloat32 != 0, controls.shaderSignedZeroInfNanPreserveFloat64 != 0,
        controls.shaderRoundingModeRTEFloat32 != 0,          controls.shaderRoundingModeRTEFloat64 != 0};
    break;
  }
  if (!physical_) return Error{codes::no_vulkan_device, "", "No device with f64 and 64-bit integers.", ""};

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = compute_family(physical_);
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceFeatures features{};
  features.shaderFloat64 = features.shaderInt64 = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.pEnabledFeatures = &features;
  HW_VK(vkCreateDevice(physical_, &info, nullptr, &device_));
  vkGetDeviceQueue(device_, queue.queueFamilyIndex, 0, &queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = queue.queueFamilyIndex;
  HW_VK(vkCreateCommandPool(device_, &pool, nullptr, &commands_));
  return ok();
}

ComputeDevice::~ComputeDevice() {
  if (device_) {
    vkDestroyCommandPool(device_, commands_, nullptr);
    vkDestroyDevice(device_, nullptr);
  }
  if (instance_) vkDestroyInstance(instance_, nullptr);
}

Result<ComputeDevice::Buffer> ComputeDevice::make_buffer(size_t bytes) {
  Buffer b;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  HW_VK(vkCreateBuffer(device_, &info, nullptr, &b.buffer));
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device_, b.buffer, &needs);
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  for (uint32_t i = memory.memoryTypeCount; i-- > 0;)
    if ((needs.memoryTypeBits >> i & 1) && (memory.memoryTypes[i].propertyFlags & kHost) == kHost)
      allocate.memoryTypeIndex = i;
  HW_VK(vkAllocateMemory(device_, &allocate, nullptr, &b.memory));
  HW_VK(vkBindBufferMemory(device_, b.buffer, b.memory, 0));
  HW_VK(vkMapMemory(device_, b.memory, 0, VK_WHOLE_SIZE, 0, &b.data));
  return b;
}

Status ComputeDevice::run(const std::vector<uint32_t>& spirv, std::vector<std::vector<uint8_t>>& buffers,
                          uint32_t groups) {
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = spirv.size() * sizeof(uint32_t);
  code.pCode = spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  HW_VK(vkCreateShaderModule(device_, &code, nullptr, &module));

  const auto count = static_cast<uint32_t>(buffers.size());
  std::vector<VkDescriptorSetLayoutBinding> bindings(count);
  for (uint32_t i = 0; i < count; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = count;
  set_info.pBindings = bindings.data();
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  HW_VK(vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout));
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  HW_VK(vkCreatePipelineLayout(device_, &layout_info, nullptr, &layout));
  VkComputePipelineCreateInfo pipeline_info{};
  pipeline_info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline_info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline_info.stage.module = module;
  pipeline_info.stage.pName = "main";
  pipeline_info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  HW_VK(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &pipeline_info, nullptr, &pipeline));

  const VkDescriptorPoolSize pool_size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
  VkDescriptorPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = 1;
  pool_info.pPoolSizes = &pool_size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  HW_VK(vkCreateDescriptorPool(device_, &pool_info, nullptr, &pool));
  VkDescriptorSetAllocateInfo set_allocate{};
  set_allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  set_allocate.descriptorPool = pool;
  set_allocate.descriptorSetCount = 1;
  set_allocate.pSetLayouts = &set_layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  HW_VK(vkAllocateDescriptorSets(device_, &set_allocate, &set));
  std::vector<Buffer> made;
  for (uint32_t i = 0; i < count; ++i) {
    HW_TRY(const Buffer buffer, make_buffer(buffers[i].size()));
    std::memcpy(buffer.data, buffers[i].data(), buffers[i].size());
    made.push_back(buffer);
    const VkDescriptorBufferInfo range{buffer.buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &range;
    vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  }

  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = commands_;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  HW_VK(vkAllocateCommandBuffers(device_, &allocate, &commands));
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  HW_VK(vkBeginCommandBuffer(commands, &begin));
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(commands, groups, 1, 1);
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
  HW_VK(vkEndCommandBuffer(commands));
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  HW_VK(vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE));
  HW_VK(vkQueueWaitIdle(queue_));

  for (uint32_t i = 0; i < count; ++i) {
    std::memcpy(buffers[i].data(), made[i].data, buffers[i].size());
    vkDestroyBuffer(device_, made[i].buffer, nullptr);
    vkFreeMemory(device_, made[i].memory, nullptr);
  }
  vkFreeCommandBuffers(device_, commands_, 1, &commands);
  vkDestroyDescriptorPool(device_, pool, nullptr);
  vkDestroyPipeline(device_, pipeline, nullptr);
  vkDestroyPipelineLayout(device_, layout, nullptr);
  vkDestroyDescriptorSetLayout(device_, set_layout, nullptr);
  vkDestroyShaderModule(device_, module, nullptr);
  return ok();
}

}  // namespace hw::test
