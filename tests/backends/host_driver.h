// A Driver in host memory: runs the very functors that a GPU runs, one item after the other, so that the back end is
// tested where there is no GPU. Products are plain loops.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "engine/backend/gpu/driver.h"

namespace hw::test {

class HostDriver : public gpu::Driver {
 public:
  struct Options {
    size_t capacity = size_t{4} << 30;  // bytes there are
    bool backwards = false;             // items run from the last to the first, and so does each level of a recording
    bool bf16 = true;                   // products in bf16 and tf32
    bool f8 = true;                     // products in f8e4m3
    bool convolves = false;             // has a library for convolutions, but for bf16
    size_t resident = size_t{1} << 30;  // bytes of a data set that is copied as a whole
    std::string id = "cuda:0";
    bool records = true;  // a recording does not fail when it ends
    bool lazy = false;    // work is done when somebody waits for it, and what is sent arrives at once
    std::function<bool(const gpu::Gemm&)> lacks = nullptr;  // products that the library has no kernel for
  };
  HostDriver() = default;
  explicit HostDriver(Options options) : options_(options) {}
  ~HostDriver() override;

  std::string id() const override { return options_.id; }
  std::string description() const override { return "the host, as a GPU"; }
  std::string implementation() const override { return "host loop"; }
  std::string product_implementation() const override { return "host product"; }
  gpu::ProductCounts products() const override { return made_; }
  bool multiplies(DType operand) const override;
  Result<DeviceMemory> memory() const override {
    return DeviceMemory{options_.capacity, options_.capacity - used_, options_.resident};
  }
  Result<void*> allocate(size_t bytes) override;
  void release(void* memory) override;
  Status upload(void* to, const void* from, size_t bytes) override;
  Status download(void* to, const void* from, size_t bytes) override;
  Status copy(void* to, const void* from, size_t bytes) override;
  Status clear(void* memory, size_t bytes) override;
  Status multiply(const gpu::Gemm& gemm) override;
  std::string convolution_implementation() const override { return options_.convolves ? "host convolution" : ""; }
  std::optional<size_t> convolution_bytes(const gpu::Convolution& convolution) const override;
  /// One output after the other, by their definition.
  Status convolve(const gpu::Convolution& convolution) override;
  Status wait() override {
    note("wait");
    HW_CHECK(drain());
    return next();
  }
  size_t resident_bytes() const override { return options_.resident; }
  Result<void*> allocate_pinned(size_t bytes) override;
  void release_pinned(void* memory) override;
  Result<std::unique_ptr<gpu::HostCopy>> make_transfer() override;
  /// The copy is made as late as it may be: when the work or the host waits for it.
  Status send(gpu::HostCopy& transfer, void* to, const void* pinned, size_t bytes) override;
  Status await(gpu::HostCopy& transfer) override;
  Status arrive(gpu::HostCopy& transfer) override;
  Status begin_recording() override;
  void begin_level() override { levels_.push_back(recorded_.size()); }
  Result<std::unique_ptr<gpu::Recording>> end_recording() override;
  Status replay(gpu::Recording& recording) override;
  Status set_mark(size_t mark) override;
  double seconds_between(size_t from, size_t to) override;
  Status plan(gpu::OpContext& c) override;

  // ---- for tests
  bool backwards() const { return options_.backwards; }
  size_t used() const { return used_; }
  size_t allocations() const { return allocations_; }
  /// After so many more calls that can fail, every one does, with this; none: no more.
  void fail_after(int calls, std::optional<Error> error) {
    calls_left_ = calls;
    failure_ = std::move(error);
  }
  /// What the next call says.
  Status next();
  /// Does a piece of work, or records it.
  Status work(gpu::Launch launch);
  size_t replays = 0, launches = 0, convolutions = 0;
  size_t host_copies = 0, copies = 0;  // host_copies: uploads and downloads
  size_t downloads = 0;
  size_t most_queued = 0;  // replays that were under way at a time
  size_t pinned_blocks() const { return pinned_.size(); }
  /// "send", "await", "replay", "wait" in the order they were asked for.
  std::vector<std::string> events;

 private:
  using Blocks = std::map<const std::byte*, size_t>;
  /// Whether [memory, memory + bytes) lies in one of the blocks.
  static bool holds(const Blocks& blocks, const void* memory, size_t bytes);
  bool is_mine(const void* memory, size_t bytes) const { return holds(blocks_, memory, bytes); }
  void note(const char* event) { events.emplace_back(event); }

  /// Does what was put off, up to a mark: all of it where there is none.
  Status drain(std::optional<size_t> mark = {});

  Options options_;
  Blocks blocks_, pinned_;
  size_t used_ = 0, allocations_ = 0;
  gpu::ProductCounts made_;
  std::vector<double> marks_;
  std::vector<gpu::Launch> recorded_;
  std::vector<size_t> levels_;  // of the recording: where each begins
  std::deque<std::function<Status()>> put_off_;
  std::set<size_t> to_pass_;  // marks
  size_t queued_ = 0;         // replays
  bool records_ = false;
  int calls_left_ = 0;
  std::optional<Error> failure_;
};

/// The Launcher of ops/map.h.
struct HostLauncher {
  template <class F>
  static Status launch(gpu::Driver& driver, int64_t n, const F& f) {
    auto& host = static_cast<HostDriver&>(driver);
    return host.work([n, f](gpu::Driver& d) -> Status {
      auto& driver_in_memory = static_cast<HostDriver&>(d);
      HW_CHECK(driver_in_memory.next());
      ++driver_in_memory.launches;
      for (int64_t i = 0; i < n; ++i) f(driver_in_memory.backwards() ? n - 1 - i : i);
      return ok();
    });
  }
};

}  // namespace hw::test
