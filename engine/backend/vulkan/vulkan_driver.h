// The gpu::Driver that calls Vulkan.
#pragma once

#include "engine/backend/vulkan/adapters.h"
#include "engine/backend/vulkan/pipelines.h"
#include "engine/backend/vulkan/region_kernels.h"
#include "engine/backend/vulkan/stream.h"

namespace hw::vulkan {

class VulkanDriver : public gpu::Driver {
 public:
  /// The driver of adapters()[index], which can be used.
  static Result<std::shared_ptr<gpu::Driver>> make(size_t index, const Adapter& adapter, size_t resident_bytes);
  ~VulkanDriver() override;

  std::string id() const override { return "vulkan:" + std::to_string(index_); }
  std::string description() const override { return vulkan::description(adapter_); }
  std::string implementation() const override { return "vulkan"; }
  std::string product_implementation() const override { return "vulkan"; }
  gpu::ProductCounts products() const override { return {}; }
  std::optional<DeviceWork> work() const override { return DeviceWork{dispatches_, copies_, stream_->barriers(), 0}; }
  bool multiplies(DType operand) const override;
  Result<DeviceMemory> memory() const override;
  Result<void*> allocate(size_t bytes) override;
  void release(void* memory) override;
  Status upload(void* to, const void* from, size_t bytes) override;
  Status download(void* to, const void* from, size_t bytes) override;
  Status copy(void* to, const void* from, size_t bytes) override;
  Status clear(void* memory, size_t bytes) override;
  Status multiply(const gpu::Gemm& gemm) override;
  Status wait() override { return stream_->wait(); }
  size_t resident_bytes() const override { return resident_bytes_; }
  Result<void*> allocate_pinned(size_t bytes) override;
  void release_pinned(void* memory) override;
  Result<std::unique_ptr<gpu::HostCopy>> make_transfer() override;
  Status send(gpu::HostCopy& transfer, void* to, const void* pinned, size_t bytes) override;
  Status await(gpu::HostCopy& transfer) override;
  Status arrive(gpu::HostCopy& transfer) override;
  Status begin_recording() override { return stream_->begin_recording(); }
  void begin_level() override { stream_->begin_level(); }
  Result<std::unique_ptr<gpu::Recording>> end_recording() override { return stream_->end_recording(); }
  Status replay(gpu::Recording& recording) override { return stream_->replay(recording); }
  Status set_mark(size_t mark) override;
  double seconds_between(size_t from, size_t to) override;
  bool fuses_elementwise() const override { return true; }
  Result<gpu::Launch> plan_region(const Program& program, const gpu::Region& region,
                                  const gpu::RegionOperands& operands) override;
  Status plan(gpu::OpContext& c) override;

  Status launch(const std::string& name, const gpu::Constants& constants, int64_t n, const void* functor, size_t bytes,
                int64_t turns);

 private:
  /// kMarks time stamps.
  struct Marks {
    VkQueryPool pool = VK_NULL_HANDLE;
    std::vector<uint64_t> serials;  // of what sets them; 0: none yet
  };
  static constexpr uint32_t kMarks = 256;

  VulkanDriver(size_t index, const Adapter& adapter, size_t resident_bytes)
      : index_(index), adapter_(adapter), resident_bytes_(resident_bytes) {}
  Status start();
  Status dispatch(const KernelCode& kernel, const gpu::Constants& constants, int64_t n, const void* functor,
                  size_t bytes, int64_t turns);
  /// Ticks at a mark; none: it was not set, or the device failed.
  std::optional<uint64_t> ticks(size_t mark);

  size_t index_;
  Adapter adapter_;
  size_t resident_bytes_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Pipelines> pipelines_;
  RegionKernels regions_;
  BlockMap blocks_, pinned_;
  std::optional<Block> readback_;
  size_t dispatches_ = 0, copies_ = 0;  // DeviceWork's
  std::vector<Marks> marks_;
};

}  // namespace hw::vulkan
