#include "engine/backend/vulkan/stream.h"

#include <algorithm>

#include "engine/backend/vulkan/vulkan_error.h"

namespace hw::vulkan {
namespace {

constexpr size_t kMostChunks = 16;    // of host memory for batches
constexpr size_t kMostCommands = 64;  // of a batch: short ones keep the device busy and its watchdog calm
constexpr size_t kAlign = 256;        // of places in a chunk
constexpr uint64_t kForever = ~uint64_t{0};

}  // namespace

// Several command buffers, each submitted by itself: a driver's watchdog counts the time of one submission.
struct Stream::Recorded : gpu::Recording {
  explicit Recorded(Stream& owner) : stream(owner) {}
  ~Recorded() override {
    if (!stream.wait_for(serial)) vkDeviceWaitIdle(stream.context_.device);
    stream.free_commands_.insert(stream.free_commands_.end(), commands.begin(), commands.end());
    for (const Block& chunk : chunks) destroy_block(stream.context_, chunk);
  }
  Stream& stream;
  std::vector<VkCommandBuffer> commands;
  std::vector<Block> chunks;
  uint64_t serial = 0;  // of the last replay
};

Stream::Stream(const Context& context) : context_(context) {}

void Stream::wait_for_commands(VkCommandBuffer commands, SeenBy seen_by) {
  ++barriers_;
  VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  all.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                      VK_ACCESS_TRANSFER_WRITE_BIT;
  const VkPipelineStageFlags work = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkPipelineStageFlags behind = work;
  if (seen_by == SeenBy::host) {
    all.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    behind = VK_PIPELINE_STAGE_HOST_BIT;
  }
  vkCmdPipelineBarrier(commands, work, behind, 0, 1, &all, 0, nullptr, 0, nullptr);
}

Result<std::unique_ptr<Stream>> Stream::make(const Context& context) {
  std::unique_ptr<Stream> stream(new Stream(context));
  HW_CHECK(stream->start());
  return stream;
}

Status Stream::start() {
  VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = context_.family;
  HW_VULKAN(vkCreateCommandPool(context_.device, &pool, nullptr, &pool_));
  VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  info.pNext = &type;
  HW_VULKAN(vkCreateSemaphore(context_.device, &info, nullptr, &timeline_));
  return ok();
}

Stream::~Stream() {
  recorded_.reset();
  wait_idle();
  if (open_) take_back(*open_);
  for (Batch& batch : running_) take_back(batch);
  for (const Block& chunk : free_chunks_) destroy_block(context_, chunk);
  if (timeline_) vkDestroySemaphore(context_.device, timeline_, nullptr);
  if (pool_) vkDestroyCommandPool(context_.device, pool_, nullptr);
}

Status Stream::fail(const Status& status) {
  if (status || status.error().code != codes::gpu_failed || failure_) return status;
  failure_ = status.error();
  vkDeviceWaitIdle(context_.device);  // work that was begun before may still run, and nobody waits for it from here on
  return status;
}

Result<VkCommandBuffer> Stream::begin(bool again) {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (free_commands_.empty()) {
    VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool_;
    info.commandBufferCount = 1;
    HW_VULKAN(vkAllocateCommandBuffers(context_.device, &info, &commands));
  } else {
    commands = free_commands_.back();
    free_commands_.pop_back();
  }
  VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = again ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  HW_VULKAN(vkBeginCommandBuffer(commands, &info));
  return commands;
}

Status Stream::open() {
  if (open_) return ok();
  HW_CHECK(collect(0));
  auto commands = begin(false);
  if (!commands) return fail(commands.error());
  open_ = Batch{.commands = *commands};
  commands_ = 0;
  used_ = kChunk;
  return ok();
}

Result<Stream::Next> Stream::next(size_t host_bytes) {
  if (failure_) return *failure_;
  Next next;
  if (commands_ >= kMostCommands) HW_CHECK(recorded_ ? record_further() : submit());
  if (!recorded_) HW_CHECK(open());
  ++commands_;
  if (host_bytes > 0) {
    HW_TRY(next.host, host_memory(host_bytes));
  }
  next.commands = recorded_ ? recorded_->commands.back() : open_->commands;
  if (level_ != Level::open) wait_for_commands(next.commands);
  if (level_ == Level::begins) level_ = Level::open;
  return next;
}

Status Stream::show_host() {
  HW_CHECK(next());
  wait_for_commands(open_->commands, SeenBy::host);
  return ok();
}

Result<HostPlace> Stream::host_memory(size_t bytes) {
  const size_t size = (bytes + kAlign - 1) / kAlign * kAlign;
  if (used_ + size > kChunk) {
    if (recorded_) {
      HW_TRY(const Block chunk, make_block(context_, kChunk, MemoryUse::to_device));
      recorded_->chunks.push_back(chunk);
    } else {
      HW_TRY(const Block chunk, take_chunk());
      if (const Status opened = open(); !opened) {  // taking one may have submitted what was open
        free_chunks_.push_back(chunk);
        return opened.error();
      }
      open_->chunks.push_back(chunk);
    }
    used_ = 0;
  }
  const Block& chunk = (recorded_ ? recorded_->chunks : open_->chunks).back();
  const size_t at = used_;
  used_ += size;
  return HostPlace{chunk.mapped + at, {chunk.buffer, at}, chunk.address + at};
}

Result<Block> Stream::take_chunk() {
  if (free_chunks_.empty() && chunks_ >= kMostChunks) {
    HW_CHECK(submit());
    for (size_t i = 0; i < running_.size() && free_chunks_.empty();) {
      if (running_[i].chunks.empty()) {
        ++i;
        continue;
      }
      HW_CHECK(wait_for(running_[i].serial));
      i = 0;
    }
  }
  if (free_chunks_.empty()) {
    HW_TRY(const Block made, make_block(context_, kChunk, MemoryUse::to_device));
    ++chunks_;
    return made;
  }
  const Block chunk = free_chunks_.back();
  free_chunks_.pop_back();
  return chunk;
}

Status Stream::submit_commands(VkCommandBuffer commands) {
  const uint64_t serial = submitted_ + 1;
  VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &serial;
  VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline_;
  const VkResult result = vkQueueSubmit(context_.queue, 1, &info, VK_NULL_HANDLE);
  // Work that was not begun is lost whatever the reason.
  if (result != VK_SUCCESS)
    return fail(
        Error{codes::gpu_failed, "vulkan", "vkQueueSubmit: " + result_name(result) + ".", "Choose the cpu device."});
  submitted_ = serial;
  return ok();
}

Status Stream::end_and_submit(Batch& batch) {
  const Status ended = check(vkEndCommandBuffer(batch.commands), "vkEndCommandBuffer()");
  if (!ended)
    return fail(Error{codes::gpu_failed, ended.error().where, ended.error().reason, "Choose the cpu device."});
  HW_CHECK(submit_commands(batch.commands));
  batch.serial = submitted_;
  return ok();
}

Status Stream::submit() {
  if (failure_) return *failure_;
  if (!open_) return ok();
  Batch batch = std::move(*open_);
  open_.reset();
  const Status begun = end_and_submit(batch);
  running_.push_back(std::move(batch));
  return begun;
}

Status Stream::wait() {
  HW_CHECK(submit());
  return wait_for(submitted_);
}

Status Stream::wait_for(uint64_t serial) {
  if (failure_) return *failure_;
  if (serial > submitted_) HW_CHECK(submit());
  VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  const uint64_t value = std::min(serial, submitted_);
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &value;
  HW_CHECK(fail(check(vkWaitSemaphores(context_.device, &info, kForever), "vkWaitSemaphores()")));
  return collect(value);
}

void Stream::wait_idle() {
  if (!wait()) vkDeviceWaitIdle(context_.device);
}

Result<uint64_t> Stream::run_now(const std::function<void(VkCommandBuffer)>& record) {
  HW_CHECK(submit());
  auto commands = begin(false);
  if (!commands) return fail(commands.error()).error();
  Batch batch{.commands = *commands};
  wait_for_commands(batch.commands);
  record(batch.commands);
  const Status begun = end_and_submit(batch);
  const uint64_t serial = batch.serial;
  running_.push_back(std::move(batch));
  HW_CHECK(begun);
  return serial;
}

void Stream::take_back(Batch& batch) {
  free_commands_.push_back(batch.commands);
  free_chunks_.insert(free_chunks_.end(), batch.chunks.begin(), batch.chunks.end());
}

Status Stream::collect(uint64_t least) {
  uint64_t done = 0;
  HW_CHECK(fail(check(vkGetSemaphoreCounterValue(context_.device, timeline_, &done), "vkGetSemaphoreCounterValue()")));
  // A lost device may let waits succeed, and count beyond what was submitted.
  if (done > submitted_ || done < least) return fail(check(VK_ERROR_DEVICE_LOST, "vkWaitSemaphores()"));
  size_t count = 0;
  while (count < running_.size() && running_[count].serial != 0 && running_[count].serial <= done)
    take_back(running_[count++]);
  running_.erase(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(count));
  return ok();
}

Status Stream::begin_recording() {
  HW_CHECK(submit());
  HW_TRY(const VkCommandBuffer commands, begin(true));
  recorded_ = std::make_unique<Recorded>(*this);
  recorded_->commands.push_back(commands);
  commands_ = 0;
  used_ = kChunk;
  return ok();
}

Status Stream::record_further() {
  HW_CHECK(fail(check(vkEndCommandBuffer(recorded_->commands.back()), "vkEndCommandBuffer()")));
  HW_TRY(const VkCommandBuffer commands, begin(true));
  recorded_->commands.push_back(commands);
  commands_ = 0;
  return ok();
}

Result<std::unique_ptr<gpu::Recording>> Stream::end_recording() {
  std::unique_ptr<Recorded> made = std::move(recorded_);
  level_ = Level::none;
  commands_ = 0;
  used_ = kChunk;
  HW_CHECK(fail(check(vkEndCommandBuffer(made->commands.back()), "vkEndCommandBuffer()")));
  return std::unique_ptr<gpu::Recording>(std::move(made));
}

Status Stream::replay(gpu::Recording& recording) {
  HW_CHECK(submit());
  HW_CHECK(collect(0));
  auto& recorded = static_cast<Recorded&>(recording);
  for (const VkCommandBuffer commands : recorded.commands) HW_CHECK(submit_commands(commands));
  recorded.serial = submitted_;
  return ok();
}

}  // namespace hw::vulkan
