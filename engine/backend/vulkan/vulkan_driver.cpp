#include "engine/backend/vulkan/vulkan_driver.h"

#include <algorithm>
#include <cstring>

#include "engine/backend/gpu/ops/plan_op.h"
#include "engine/backend/vulkan/make_driver.h"
#include "engine/backend/vulkan/products.h"
#include "engine/backend/vulkan/vulkan_error.h"

namespace hw::gpu {
extern template Status plan_op<vulkan::VulkanLauncher>(OpContext&, const Driver&);  // launches.cpp
}

namespace hw::vulkan {
namespace {

constexpr size_t kReadback = size_t{16} << 20;
constexpr uint32_t kThreads = 64;  // of a workgroup: local_size_x of common.glsl

uint64_t address_of(const void* memory) {
  return reinterpret_cast<uint64_t>(memory);
}

void copy_bytes(VkCommandBuffer commands, const BlockPlace& from, const BlockPlace& to, size_t bytes) {
  const VkBufferCopy region{.srcOffset = from.offset, .dstOffset = to.offset, .size = bytes};
  vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
}

struct Sent : gpu::HostCopy {
  uint64_t serial = 0;  // of what was sent last
};

}  // namespace

Result<std::shared_ptr<gpu::Driver>> make_driver(size_t index, size_t resident_bytes) {
  HW_TRY(const std::vector<Adapter> all, adapters());
  return VulkanDriver::make(index, all.at(index), resident_bytes);
}

Result<std::shared_ptr<gpu::Driver>> VulkanDriver::make(size_t index, const Adapter& adapter, size_t resident_bytes) {
  std::shared_ptr<VulkanDriver> driver(new VulkanDriver(index, adapter, resident_bytes));
  HW_CHECK(driver->start());
  return std::shared_ptr<gpu::Driver>(std::move(driver));
}

Status VulkanDriver::start() {
  HW_TRY(context_, Context::make(index_));
  HW_TRY(stream_, Stream::make(*context_));
  HW_TRY(pipelines_, Pipelines::make(*context_));
  return ok();
}

VulkanDriver::~VulkanDriver() {
  stream_.reset();
  pipelines_.reset();
  if (!context_ || !context_->device) return;
  for (const Marks& marks : marks_) vkDestroyQueryPool(context_->device, marks.pool, nullptr);
  if (readback_) destroy_block(*context_, *readback_);
  for (const BlockMap* map : {&blocks_, &pinned_})
    for (const auto& [begin, block] : map->all()) destroy_block(*context_, block);
}

// Tiles read any float, and add in f32 or f64.
bool VulkanDriver::multiplies(DType operand) const {
  return info(operand).is_float;
}

Result<DeviceMemory> VulkanDriver::memory() const {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  if (context_->has_budget) all.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(context_->physical, &all);
  DeviceMemory m;
  m.total = adapter_.memory_bytes;
  m.resident = resident_bytes_;
  m.free = m.total - std::min<size_t>(m.total, blocks_.bytes());
  if (context_->has_budget) {
    const VkDeviceSize whole = budget.heapBudget[context_->largest_heap],
                       used = budget.heapUsage[context_->largest_heap];
    m.free = std::min<size_t>(m.free, whole - std::min(whole, used));
  }
  return m;
}

Result<void*> VulkanDriver::allocate(size_t bytes) {
  auto block = make_block(*context_, bytes, MemoryUse::device);
  if (!block) {
    Error error = block.error();
    error.where = id();
    return error;
  }
  blocks_.add(block->address, *block);
  return reinterpret_cast<void*>(block->address);
}

void VulkanDriver::release(void* memory) {
  stream_->wait_idle();
  destroy_block(*context_, blocks_.take(address_of(memory)));
}

Status VulkanDriver::upload(void* to, const void* from, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const size_t part = std::min(bytes - done, Stream::kChunk);
    HW_TRY(const Stream::Next next, stream_->next(part));
    std::memcpy(next.host.mapped, static_cast<const std::byte*>(from) + done, part);
    HW_TRY(const BlockPlace there, blocks_.find(address_of(to) + done));
    copy_bytes(next.commands, next.host.place, there, part);
    done += part;
  }
  return ok();
}

Status VulkanDriver::download(void* to, const void* from, size_t bytes) {
  if (!readback_) {
    HW_TRY(readback_, make_block(*context_, kReadback, MemoryUse::to_host));
  }
  for (size_t done = 0; done < bytes;) {
    const size_t part = std::min(bytes - done, kReadback);
    HW_TRY(const Stream::Next next, stream_->next());
    HW_TRY(const BlockPlace there, blocks_.find(address_of(from) + done));
    copy_bytes(next.commands, there, {readback_->buffer, 0}, part);
    HW_CHECK(stream_->show_host());
    HW_CHECK(stream_->wait());
    std::memcpy(static_cast<std::byte*>(to) + done, readback_->mapped, part);
    done += part;
  }
  return bytes == 0 ? stream_->wait() : ok();
}

Status VulkanDriver::copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return ok();
  HW_TRY(const Stream::Next next, stream_->next());
  HW_TRY(const BlockPlace source, blocks_.find(address_of(from)));
  HW_TRY(const BlockPlace target, blocks_.find(address_of(to)));
  copy_bytes(next.commands, source, target, bytes);
  ++copies_;
  return ok();
}

Status VulkanDriver::clear(void* memory, size_t bytes) {
  if (bytes == 0) return ok();
  HW_TRY(const Stream::Next next, stream_->next());
  HW_TRY(const BlockPlace place, blocks_.find(address_of(memory)));
  // Vulkan fills whole words. What is cleared begins a block of kAlignment bytes of its own.
  vkCmdFillBuffer(next.commands, place.buffer, place.offset, (bytes + 3) / 4 * 4, 0);
  ++copies_;
  return ok();
}

Status VulkanDriver::multiply(const gpu::Gemm& gemm) {
  return vulkan::multiply(*this, gemm);
}

Result<void*> VulkanDriver::allocate_pinned(size_t bytes) {
  auto block = make_block(*context_, std::max<size_t>(bytes, 1), MemoryUse::to_device);
  if (!block) {
    Error error = block.error();
    error.where = id();
    return error;
  }
  pinned_.add(address_of(block->mapped), *block);
  return static_cast<void*>(block->mapped);
}

void VulkanDriver::release_pinned(void* memory) {
  stream_->wait_idle();
  destroy_block(*context_, pinned_.take(address_of(memory)));
}

Result<std::unique_ptr<gpu::HostCopy>> VulkanDriver::make_transfer() {
  return std::unique_ptr<gpu::HostCopy>(std::make_unique<Sent>());
}

Status VulkanDriver::send(gpu::HostCopy& transfer, void* to, const void* pinned, size_t bytes) {
  if (bytes == 0) return ok();
  HW_TRY(const BlockPlace from, pinned_.find(address_of(pinned)));
  HW_TRY(const BlockPlace target, blocks_.find(address_of(to)));
  HW_TRY(static_cast<Sent&>(transfer).serial,
         stream_->run_now([&](VkCommandBuffer commands) { copy_bytes(commands, from, target, bytes); }));
  return ok();
}

// Every command of the stream waits for what was submitted before it.
Status VulkanDriver::await(gpu::HostCopy&) {
  return ok();
}

Status VulkanDriver::arrive(gpu::HostCopy& transfer) {
  return stream_->wait_for(static_cast<Sent&>(transfer).serial);
}

Status VulkanDriver::set_mark(size_t mark) {
  if (context_->seconds_per_tick == 0) return ok();
  while (marks_.size() <= mark / kMarks) {
    VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kMarks;
    Marks made{.serials = std::vector<uint64_t>(kMarks, 0)};
    HW_VULKAN(vkCreateQueryPool(context_->device, &info, nullptr, &made.pool));
    marks_.push_back(std::move(made));
  }
  Marks& marks = marks_[mark / kMarks];
  const auto query = static_cast<uint32_t>(mark % kMarks);
  HW_TRY(const Stream::Next next, stream_->next());
  vkCmdResetQueryPool(next.commands, marks.pool, query, 1);
  vkCmdWriteTimestamp(next.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, marks.pool, query);
  marks.serials[query] = stream_->serial();
  return ok();
}

std::optional<uint64_t> VulkanDriver::ticks(size_t mark) {
  if (mark / kMarks >= marks_.size()) return {};
  const Marks& marks = marks_[mark / kMarks];
  const auto query = static_cast<uint32_t>(mark % kMarks);
  if (marks.serials[query] == 0 || !stream_->wait_for(marks.serials[query])) return {};
  uint64_t value = 0;
  const VkResult got = vkGetQueryPoolResults(context_->device, marks.pool, query, 1, sizeof value, &value, sizeof value,
                                             VK_QUERY_RESULT_64_BIT);
  return got == VK_SUCCESS ? std::optional(value & context_->tick_mask) : std::nullopt;
}

double VulkanDriver::seconds_between(size_t from, size_t to) {
  const auto end = ticks(to), begin = ticks(from);
  if (!end || !begin) {
    (void)stream_->wait();  // who asks for a time waits for the work
    return 0;
  }
  const uint64_t passed = (*end - *begin) & context_->tick_mask;
  return passed > context_->tick_mask / 2 ? 0 : static_cast<double>(passed) * context_->seconds_per_tick;  // set back
}

Status VulkanDriver::launch(const std::string& name, const gpu::Constants& constants, int64_t n, const void* functor,
                            size_t bytes, int64_t turns) {
  const KernelCode* kernel = find_kernel(name);
  const auto words = [](size_t size) { return (size + 7) / 8; };
  if (!kernel || words(kernel->functor_bytes) != words(bytes))
    return Error{codes::unsupported, "",
                 kernel ? "The kernel " + name + " takes " + std::to_string(kernel->functor_bytes) + " bytes, not " +
                              std::to_string(bytes) + "."
                        : "There is no kernel " + name + ".",
                 "Choose the cpu device."};
  return dispatch(*kernel, constants, n, functor, bytes, turns);
}

Status VulkanDriver::dispatch(const KernelCode& kernel, const gpu::Constants& constants, int64_t n, const void* functor,
                              size_t bytes, int64_t turns) {
  const int64_t groups = kernel.groups ? n : (n + kThreads - 1) / kThreads;
  const int64_t rounds = (groups + context_->most_groups - 1) / context_->most_groups;  // items of a thread
  if (context_->most_turns > 0 && turns * rounds + rounds > context_->most_turns)
    return Error{codes::unsupported, "",
                 adapter_.name + " turns loops at most " + std::to_string(context_->most_turns) + " times, and " +
                     kernel.name + " needs " + std::to_string(turns * rounds) + ".",
                 "Choose the cpu device."};
  HW_TRY(const VkPipeline pipeline, pipelines_->find(kernel, constants));
  HW_TRY(const Stream::Next next, stream_->next(bytes));
  std::memcpy(next.host.mapped, functor, bytes);
  const Push push{next.host.address, n};
  vkCmdBindPipeline(next.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdPushConstants(next.commands, pipelines_->layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
  vkCmdDispatch(next.commands, static_cast<uint32_t>(std::min<int64_t>(groups, context_->most_groups)), 1, 1);
  ++dispatches_;
  return ok();
}

Result<gpu::Launch> VulkanDriver::plan_region(const Program& program, const gpu::Region& region,
                                              const gpu::RegionOperands& operands) {
  HW_TRY(RegionText text, region_text(program, region, operands));
  HW_TRY(const KernelCode* const kernel, regions_.kernel_of(text.text));
  HW_TRY([[maybe_unused]] const VkPipeline made, pipelines_->find(*kernel, {}));
  return gpu::Launch([kernel, n = operands.size, functor = std::move(text.functor)](gpu::Driver& driver) {
    return static_cast<VulkanDriver&>(driver).dispatch(*kernel, {}, n, functor.data(),
                                                       functor.size() * sizeof(uint64_t), 0);
  });
}

Status VulkanDriver::plan(gpu::OpContext& c) {
  return gpu::plan_op<VulkanLauncher>(c, *this);
}

Status launch_kernel(gpu::Driver& driver, const std::string& name, const gpu::Constants& constants, int64_t n,
                     const void* functor, size_t bytes, int64_t turns) {
  return static_cast<VulkanDriver&>(driver).launch(name, constants, n, functor, bytes, turns);
}

}  // namespace hw::vulkan
