#include "host_driver.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "engine/backend/gpu/ops/plain_product.h"
#include "engine/backend/gpu/ops/plan_op.h"
#include "engine/core/codes.h"
#include "host_convolution.h"

namespace hw::gpu {

extern template Status plan_op<test::HostLauncher>(OpContext&, const Driver&);  // host_launches.cpp

}  // namespace hw::gpu

namespace hw::test {
namespace {

// What fresh memory holds: a kernel that reads what nobody wrote is found out.
constexpr int kUnwritten = 0x7B;

Error not_mine(const char* call) {
  return {codes::gpu_failed, "", std::string(call) + ": an address outside of what was allocated.", ""};
}

}  // namespace

HostDriver::~HostDriver() {
  for (const auto& [memory, bytes] : blocks_) std::free(const_cast<std::byte*>(memory));
}

Status HostDriver::next() {
  if (!failure_) return ok();
  return calls_left_-- > 0 ? ok() : Status(*failure_);
}

bool HostDriver::multiplies(DType operand) const {
  if (info(operand).bits == 8) return options_.f8 && operand == DType::f8e4m3;
  return options_.bf16 || (operand != DType::bf16 && operand != DType::tf32);
}

Result<void*> HostDriver::allocate(size_t bytes) {
  HW_CHECK(next());
  if (used_ + bytes > options_.capacity) return Error{codes::out_of_memory, "", "out of memory", ""};
  void* memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!memory) return Error{codes::out_of_memory, "", "out of memory", ""};
  std::memset(memory, kUnwritten, bytes);
  blocks_[static_cast<std::byte*>(memory)] = bytes;
  used_ += bytes;
  ++allocations_;
  return memory;
}

void HostDriver::release(void* memory) {
  (void)drain();
  const auto it = blocks_.find(static_cast<std::byte*>(memory));
  used_ -= it->second;
  blocks_.erase(it);
  std::free(memory);
}

bool HostDriver::holds(const Blocks& blocks, const void* memory, size_t bytes) {
  const auto* at = static_cast<const std::byte*>(memory);
  auto it = blocks.upper_bound(at);
  if (it == blocks.begin()) return false;
  --it;
  return at + bytes <= it->first + it->second;
}

Status HostDriver::upload(void* to, const void* from, size_t bytes) {
  HW_CHECK(next());
  ++host_copies;
  if (!is_mine(to, bytes)) return not_mine("upload");
  if (holds(pinned_, from, bytes)) {  // read when its turn comes
    return work([=](Driver&) -> Status {
      std::memcpy(to, from, bytes);
      return ok();
    });
  }
  const auto* begin = static_cast<const std::byte*>(from);
  return work([to, data = std::vector<std::byte>(begin, begin + bytes)](Driver&) -> Status {
    std::memcpy(to, data.data(), data.size());
    return ok();
  });
}

Status HostDriver::download(void* to, const void* from, size_t bytes) {
  HW_CHECK(next());
  ++host_copies;
  ++downloads;
  if (!is_mine(from, bytes)) return not_mine("download");
  HW_CHECK(drain());
  std::memcpy(to, from, bytes);
  return ok();
}

Result<void*> HostDriver::allocate_pinned(size_t bytes) {
  HW_CHECK(next());
  void* memory = std::malloc(bytes);
  if (!memory) return Error{codes::out_of_memory, "", "out of memory", ""};
  pinned_[static_cast<std::byte*>(memory)] = bytes;
  return memory;
}

void HostDriver::release_pinned(void* memory) {
  pinned_.erase(static_cast<std::byte*>(memory));
  std::free(memory);
}

namespace {

struct Pending : gpu::HostCopy {
  struct Copy {
    void* to;
    const void* from;
    size_t bytes;
  };
  std::vector<Copy> copies;
  void finish() {
    for (const Copy& c : copies) std::memcpy(c.to, c.from, c.bytes);
    copies.clear();
  }
};

}  // namespace

Result<std::unique_ptr<gpu::HostCopy>> HostDriver::make_transfer() {
  HW_CHECK(next());
  return std::unique_ptr<gpu::HostCopy>(std::make_unique<Pending>());
}

Status HostDriver::send(gpu::HostCopy& transfer, void* to, const void* pinned, size_t bytes) {
  note("send");
  HW_CHECK(next());
  if (!is_mine(to, bytes) || !holds(pinned_, pinned, bytes)) return not_mine("send");
  auto& pending = static_cast<Pending&>(transfer);
  pending.copies.push_back({to, pinned, bytes});
  if (options_.lazy) pending.finish();
  return ok();
}

Status HostDriver::await(gpu::HostCopy& transfer) {
  note("await");
  HW_CHECK(next());
  static_cast<Pending&>(transfer).finish();
  return ok();
}

Status HostDriver::arrive(gpu::HostCopy& transfer) {
  static_cast<Pending&>(transfer).finish();
  return next();
}

Status HostDriver::copy(void* to, const void* from, size_t bytes) {
  return work([=, this](Driver&) -> Status {
    HW_CHECK(next());
    if (!is_mine(to, bytes) || !is_mine(from, bytes)) return not_mine("copy");
    ++copies;
    std::memmove(to, from, bytes);
    return ok();
  });
}

Status HostDriver::clear(void* memory, size_t bytes) {
  return work([=, this](Driver&) -> Status {
    HW_CHECK(next());
    if (!is_mine(memory, bytes)) return not_mine("clear");
    std::memset(memory, 0, bytes);
    return ok();
  });
}

Status HostDriver::multiply(const gpu::Gemm& g) {
  ++made_.all;
  if (options_.lacks && options_.lacks(g)) ++made_.plain;
  return gpu::plain_product<HostLauncher>(*this, g);
}

std::optional<size_t> HostDriver::convolution_bytes(const gpu::Convolution& c) const {
  if (!options_.convolves || c.dtype == DType::bf16) return {};
  return 1000 + static_cast<size_t>(c.shape.pictures);
}

Status HostDriver::convolve(const gpu::Convolution& c) {
  return work([=, this](Driver&) -> Status {
    HW_CHECK(next());
    if (c.scratch_bytes != *convolution_bytes(c) || !is_mine(c.scratch, c.scratch_bytes)) return not_mine("convolve");
    ++convolutions;
    std::memset(c.scratch, kUnwritten, c.scratch_bytes);
    if (c.dtype == DType::f64)
      plain_convolution<double>(c);
    else
      plain_convolution<float>(c);
    return ok();
  });
}

namespace {

struct Recorded : gpu::Recording {
  std::vector<gpu::Launch> launches;
};

}  // namespace

Status HostDriver::work(gpu::Launch launch) {
  if (records_)
    recorded_.push_back(std::move(launch));
  else if (options_.lazy)
    put_off_.emplace_back([this, launch = std::move(launch)] { return launch(*this); });
  else
    return launch(*this);
  return ok();
}

Status HostDriver::drain(std::optional<size_t> mark) {
  while (!put_off_.empty() && (!mark || to_pass_.contains(*mark))) {
    const auto next_one = std::move(put_off_.front());
    put_off_.pop_front();
    if (Status done = next_one(); !done) {
      put_off_.clear();  // a GPU that failed does nothing more; what it was to read may be gone by then
      return done;
    }
  }
  return ok();
}

Status HostDriver::begin_recording() {
  HW_CHECK(next());
  records_ = true;
  recorded_.clear();
  levels_.clear();
  return ok();
}

Result<std::unique_ptr<gpu::Recording>> HostDriver::end_recording() {
  records_ = false;
  HW_CHECK(next());
  if (!options_.records) return Error{codes::gpu_failed, "", "capture invalidated", ""};
  levels_.push_back(recorded_.size());
  for (size_t i = 1; options_.backwards && i < levels_.size(); ++i)
    std::reverse(recorded_.begin() + static_cast<std::ptrdiff_t>(levels_[i - 1]),
                 recorded_.begin() + static_cast<std::ptrdiff_t>(levels_[i]));
  auto made = std::make_unique<Recorded>();
  made->launches = std::move(recorded_);
  return std::unique_ptr<gpu::Recording>(std::move(made));
}

Status HostDriver::replay(gpu::Recording& recording) {
  note("replay");
  ++replays;
  most_queued = std::max(most_queued, ++queued_);
  for (const gpu::Launch& launch : static_cast<Recorded&>(recording).launches) HW_CHECK(work(launch));
  return work([this](Driver&) -> Status {
    --queued_;
    return ok();
  });
}

Status HostDriver::set_mark(size_t mark) {
  HW_CHECK(next());
  if (marks_.size() <= mark) marks_.resize(mark + 1);
  to_pass_.insert(mark);
  return work([this, mark](Driver&) -> Status {
    marks_[mark] = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    to_pass_.erase(mark);
    return ok();
  });
}

double HostDriver::seconds_between(size_t from, size_t to) {
  if (!drain(to)) return 0;
  return marks_[to] - marks_[from];
}

Status HostDriver::plan(gpu::OpContext& c) {
  return gpu::plan_op<HostLauncher>(c, *this);
}

}  // namespace hw::test
