// Draws a model in the colours of a field, by Vulkan compute, without any library but Vulkan's loader.
//
//   halfwire-cli export duck.halfwire --field sigmoid.y -o field.glsl       also writes field.bin
//   halfwire-cli bake duck.halfwire -o duck.obj                             the model, in the field's coordinates
//   glslangValidator -V -I. draw_field.comp -o field.spv                    draw_field.comp includes field.glsl
//   c++ -std=c++17 -O2 draw_field.cpp -lvulkan -o draw_field
//   ./draw_field duck.obj field.spv field.bin duck.ppm 30                   seen from 30 degrees to the side
//
// The processor finds which position of the model each pixel shows; the shader computes the colour there.
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kWidth = 640, kHeight = 640;

struct Vec3 {
  float x, y, z;
};
struct Point {
  float x, y, z, light;  // light 0: no model here
};
Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "draw_field: %s\n", why.c_str());
  std::exit(1);
}

std::vector<char> read_file(const char* name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) fail(std::string(name) + " cannot be read.");
  return {std::istreambuf_iterator<char>(file), {}};
}

// ---- the model ---------------------------------------------------------------------------------------------------

struct Model {
  std::vector<Vec3> positions;
  std::vector<std::array<size_t, 3>> triangles;
};

// Positions and faces of an .obj; the rest is not needed.
Model read_obj(const char* name) {
  const std::vector<char> bytes = read_file(name);
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  Model model;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      Vec3 p{};
      words >> p.x >> p.y >> p.z;
      model.positions.push_back(p);
    } else if (word == "f") {
      std::vector<size_t> corners;
      while (words >> word) {
        const long index = std::strtol(word.c_str(), nullptr, 10);
        corners.push_back(index > 0 ? size_t(index) - 1 : model.positions.size() - size_t(-index));
        if (corners.back() >= model.positions.size()) fail(std::string(name) + ": a face has no such corner.");
      }
      for (size_t i = 2; i < corners.size(); ++i) model.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
  }
  if (model.triangles.empty()) fail(std::string(name) + " has no faces.");
  return model;
}

// The position that each pixel shows, seen from `turn` radians to the side and a little above.
std::vector<Point> rasterise(const Model& model, float turn) {
  Vec3 low = model.positions[0], high = low;
  for (const Vec3& p : model.positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3 size = high - low, middle{(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2};
  const float scale = 0.9f * kWidth / std::sqrt(size.x * size.x + size.y * size.y + size.z * size.z);
  const float side = std::cos(turn), ahead = std::sin(turn), down = std::cos(0.35f), tilt = std::sin(0.35f);
  const auto seen = [&](Vec3 p) {  // x, y in pixels, z towards the eye
    const Vec3 c = p - middle, t{c.x * side + c.z * ahead, c.y, c.z * side - c.x * ahead};
    return Vec3{kWidth / 2 + scale * t.x, kHeight / 2 - scale * (t.y * down - t.z * tilt),
                scale * (t.y * tilt + t.z * down)};
  };
  std::vector<Point> points(kWidth * kHeight, Point{0, 0, 0, 0});
  std::vector<float> depth(points.size(), -INFINITY);
  for (const auto& corners : model.triangles) {
    const Vec3 p[3] = {model.positions[corners[0]], model.positions[corners[1]], model.positions[corners[2]]};
    const Vec3 a = seen(p[0]), b = seen(p[1]), c = seen(p[2]), normal = cross(b - a, c - a);
    const float length = std::sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    if (normal.z == 0 || length == 0) continue;
    const float light = 0.45f + 0.55f * std::fabs(normal.z) / length;
    const int left = std::max(0, int(std::min({a.x, b.x, c.x}))),
              right = std::min(kWidth - 1, int(std::max({a.x, b.x, c.x})));
    const int top = std::max(0, int(std::min({a.y, b.y, c.y}))),
              bottom = std::min(kHeight - 1, int(std::max({a.y, b.y, c.y})));
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) {
        const float u = x + 0.5f, v = y + 0.5f;
        const float B = ((u - a.x) * (c.y - a.y) - (v - a.y) * (c.x - a.x)) / normal.z;
        const float C = ((b.x - a.x) * (v - a.y) - (b.y - a.y) * (u - a.x)) / normal.z, A = 1 - B - C;
        const float z = A * a.z + B * b.z + C * c.z;
        const size_t at = size_t(y) * kWidth + size_t(x);
        if (A < 0 || B < 0 || C < 0 || z <= depth[at]) continue;
        depth[at] = z;
        points[at] = {A * p[0].x + B * p[1].x + C * p[2].x, A * p[0].y + B * p[1].y + C * p[2].y,
                      A * p[0].z + B * p[1].z + C * p[2].z, light};
      }
    }
  }
  return points;
}

// ---- Vulkan ------------------------------------------------------------------------------------------------------

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) fail(std::string(what) + " failed with code " + std::to_string(result) + ".");
}
#define CHECK(call) check(call, #call)

struct Buffer {
  VkBuffer buffer;
  void* data;
};

class Gpu {
 public:
  Gpu() {
    const VkApplicationInfo app{
        VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "draw_field", 0, nullptr, 0, VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &app, 0, nullptr, 0, nullptr};
    CHECK(vkCreateInstance(&info, nullptr, &instance_));
    uint32_t count = 1;  // the first is the system's choice
    const VkResult listed = vkEnumeratePhysicalDevices(instance_, &count, &physical_);
    if (count == 0 || (listed != VK_SUCCESS && listed != VK_INCOMPLETE)) fail("there is no Vulkan device.");
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family(), 1, &priority};
    VkPhysicalDeviceFeatures has{}, wanted{};
    vkGetPhysicalDeviceFeatures(physical_, &has);
    wanted.shaderFloat64 = has.shaderFloat64, wanted.shaderInt64 = has.shaderInt64;
    const VkDeviceCreateInfo device{
        VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, nullptr, 0, 1, &queue, 0, nullptr, 0, nullptr, &wanted};
    CHECK(vkCreateDevice(physical_, &device, nullptr, &device_));
    vkGetDeviceQueue(device_, family(), 0, &queue_);
  }

  // A storage buffer that the processor sees.
  Buffer buffer(size_t bytes) {
    Buffer made{};
    const VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                  nullptr,
                                  0,
                                  bytes,
                                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                  VK_SHARING_MODE_EXCLUSIVE,
                                  0,
                                  nullptr};
    CHECK(vkCreateBuffer(device_, &info, nullptr, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_, made.buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & host) != host) ++type;
    const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
    VkDeviceMemory allocated;
    CHECK(vkAllocateMemory(device_, &allocate, nullptr, &allocated));
    CHECK(vkBindBufferMemory(device_, made.buffer, allocated, 0));
    CHECK(vkMapMemory(device_, allocated, 0, VK_WHOLE_SIZE, 0, &made.data));
    return made;
  }

  // Runs a compute shader over buffers at bindings 0, 1, … of set 0, and waits.
  void run(const std::vector<char>& spirv, const std::vector<Buffer>& buffers, uint32_t groups) {
    const auto count = static_cast<uint32_t>(buffers.size());
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < count; ++i)
      bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    const VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0,
                                                   count, bindings.data()};
    VkDescriptorSetLayout set_layout;
    CHECK(vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout));
    const VkPipelineLayoutCreateInfo layout_info{
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout, 0, nullptr};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(device_, &layout_info, nullptr, &layout));
    const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, spirv.size(),
                                        reinterpret_cast<const uint32_t*>(spirv.data())};
    VkShaderModule module;
    CHECK(vkCreateShaderModule(device_, &code, nullptr, &module));
    const VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                nullptr,
                                                0,
                                                VK_SHADER_STAGE_COMPUTE_BIT,
                                                module,
                                                "main",
                                                nullptr};
    const VkComputePipelineCreateInfo pipeline_info{
        VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr, 0, stage, layout, nullptr, 0};
    VkPipeline pipeline;
    CHECK(vkCreateComputePipelines(device_, nullptr, 1, &pipeline_info, nullptr, &pipeline));
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    const VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device_, &pool_info, nullptr, &pool));
    const VkDescriptorSetAllocateInfo set_allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1,
                                                   &set_layout};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(device_, &set_allocate, &set));
    for (uint32_t i = 0; i < count; ++i) {
      const VkDescriptorBufferInfo whole{buffers[i].buffer, 0, VK_WHOLE_SIZE};
      const VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set,    i,      0, 1,
                                       VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,      nullptr, &whole, nullptr};
      vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
    }
    const VkCommandPoolCreateInfo commands_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family()};
    VkCommandPool command_pool;
    CHECK(vkCreateCommandPool(device_, &commands_info, nullptr, &command_pool));
    const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, command_pool,
                                               VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(device_, &allocate, &commands));
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
    CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(commands, groups, 1, 1);
    const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                  VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         nullptr, 0, nullptr);
    CHECK(vkEndCommandBuffer(commands));
    const VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &commands, 0, nullptr};
    CHECK(vkQueueSubmit(queue_, 1, &submit, nullptr));
    CHECK(vkQueueWaitIdle(queue_));
  }

 private:
  uint32_t family() const {
    uint32_t count = 0, at = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
    while (at + 1 < count && !(families[at].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++at;
    return at;
  }

  VkInstance instance_ = nullptr;
  VkPhysicalDevice physical_ = nullptr;
  VkDevice device_ = nullptr;
  VkQueue queue_ = nullptr;
};  // what it holds goes with the process

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) fail("usage: draw_field MODEL.obj FIELD.spv FIELD.bin PICTURE.ppm [DEGREES]");
  const std::vector<char> spirv = read_file(argv[2]), weights = read_file(argv[3]);
  const float degrees = argc > 5 ? std::strtof(argv[5], nullptr) : 30;
  const std::vector<Point> points = rasterise(read_obj(argv[1]), degrees * 3.14159265f / 180);

  Gpu gpu;
  const Buffer given = gpu.buffer(std::max<size_t>(weights.size(), 4)), at = gpu.buffer(points.size() * sizeof(Point)),
               colours = gpu.buffer(points.size() * 4);
  std::memcpy(given.data, weights.data(), weights.size());
  std::memcpy(at.data, points.data(), points.size() * sizeof(Point));
  gpu.run(spirv, {given, at, colours}, static_cast<uint32_t>(points.size() + 63) / 64);

  std::ofstream picture(argv[4], std::ios::binary);
  picture << "P6\n" << kWidth << " " << kHeight << "\n255\n";
  const auto* pixel = static_cast<const uint8_t*>(colours.data);
  for (size_t i = 0; i < points.size(); ++i) picture.write(reinterpret_cast<const char*>(pixel + 4 * i), 3);
  picture.close();
  if (!picture) fail(std::string(argv[4]) + " cannot be written.");
  return 0;
}
