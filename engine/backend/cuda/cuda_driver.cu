#include <cstdio>

#include "engine/backend/cuda/cuda_driver.h"
#include "engine/backend/cuda/cuda_error.h"
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/plain_product.h"
#include "engine/backend/gpu/ops/plan_op.h"

namespace hw::cuda {

Result<std::shared_ptr<Driver>> make_driver(size_t gpu, size_t resident_bytes) {
  HW_TRY(const std::vector<Gpu> all, gpus());
  const Gpu& chosen = all.at(gpu);
  return CudaDriver::make(gpu, chosen, resident_bytes > 0 ? resident_bytes : chosen.resident_bytes());
}

Result<std::shared_ptr<Driver>> CudaDriver::make(size_t index, const Gpu& gpu, size_t resident_bytes) {
  std::shared_ptr<CudaDriver> driver(new CudaDriver(index, gpu, resident_bytes));
  HW_CHECK(driver->start());
  return std::shared_ptr<Driver>(std::move(driver));
}

Status CudaDriver::start() {
  HW_CHECK(enter());
  HW_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  HW_CUDA(cudaStreamCreateWithFlags(&transfers_, cudaStreamNonBlocking));
  HW_TRY(products_, make_cublas_lt());
#ifdef HALFWIRE_CUDNN
  HW_TRY(convolutions_, make_cudnn_convolution());
#endif
  return ok();
}

CudaDriver::~CudaDriver() {
  if (!enter()) return;
  products_.reset();
  convolutions_.reset();
  for (cudaEvent_t mark : marks_)
    if (mark) cudaEventDestroy(mark);
  if (transfers_) cudaStreamDestroy(transfers_);
  if (stream_) cudaStreamDestroy(stream_);
}

Status CudaDriver::enter() const {
  HW_CUDA(cudaSetDevice(static_cast<int>(index_)));
  return ok();
}

std::string CudaDriver::description() const {
  char text[160];
  std::snprintf(text, sizeof text, "%s, %.1f GiB, compute capability %d.%d", gpu_.name.c_str(),
                static_cast<double>(gpu_.memory_bytes) / (1u << 30), gpu_.major, gpu_.minor);
  return text;
}

bool CudaDriver::multiplies(DType operand) const {
  if (info(operand).bits == 8) return operand == DType::f8e4m3 && 10 * gpu_.major + gpu_.minor >= 89;
  return gpu_.major >= 8 || (operand != DType::bf16 && operand != DType::tf32);
}

Result<DeviceMemory> CudaDriver::memory() const {
  HW_CHECK(enter());
  DeviceMemory m;
  HW_CUDA(cudaMemGetInfo(&m.free, &m.total));
  m.resident = resident_bytes_;
  return m;
}

Result<void*> CudaDriver::allocate(size_t bytes) {
  HW_CHECK(enter());
  void* memory = nullptr;
  HW_CHECK(check_alone(cudaMalloc(&memory, bytes), "cudaMalloc(&memory, bytes)", id()));
  return memory;
}

void CudaDriver::release(void* memory) {
  if (enter()) cudaFree(memory);
}

Status CudaDriver::upload(void* to, const void* from, size_t bytes) {
  HW_CHECK(enter());
  HW_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
  return ok();
}

Status CudaDriver::download(void* to, const void* from, size_t bytes) {
  HW_CHECK(enter());
  HW_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
  HW_CUDA(cudaStreamSynchronize(stream_));
  return ok();
}

Status CudaDriver::copy(void* to, const void* from, size_t bytes) {
  HW_CHECK(enter());
  HW_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
  return ok();
}

Status CudaDriver::clear(void* memory, size_t bytes) {
  HW_CHECK(enter());
  HW_CUDA(cudaMemsetAsync(memory, 0, bytes, stream_));
  return ok();
}

Status CudaDriver::multiply(const Gemm& gemm) {
  HW_CHECK(enter());
  const Status status = products_->multiply(gemm, stream_);
  if (status || status.error().code != codes::unsupported) {
    ++made_.all;
    return status;
  }
  if (!gemm.bias && !gemm.adds_matrix) {
    ++made_.all, ++made_.plain;
    return plain_product<CudaLauncher>(*this, gemm);
  }
  Gemm alone = gemm;
  alone.bias = nullptr;
  alone.adds_matrix = false;
  HW_CHECK(multiply(alone));
  return add_terms<CudaLauncher>(*this, gemm);
}

std::optional<size_t> CudaDriver::convolution_bytes(const Convolution& convolution) const {
  if (!convolutions_ || !enter()) return {};
  return convolutions_->scratch_bytes(convolution);
}

Status CudaDriver::convolve(const Convolution& convolution) {
  HW_CHECK(enter());
  if (!convolutions_) return Driver::convolve(convolution);
  return convolutions_->run(convolution, stream_);
}

Status CudaDriver::wait() {
  HW_CHECK(enter());
  HW_CUDA(cudaStreamSynchronize(stream_));
  return ok();
}

Result<void*> CudaDriver::allocate_pinned(size_t bytes) {
  HW_CHECK(enter());
  void* memory = nullptr;
  HW_CHECK(check_alone(cudaMallocHost(&memory, bytes > 0 ? bytes : 1), "cudaMallocHost(&memory, bytes)", id()));
  return memory;
}

void CudaDriver::release_pinned(void* memory) {
  if (enter()) cudaFreeHost(memory);
}

namespace {

struct Sent : HostCopy {
  ~Sent() override {
    if (event) cudaEventDestroy(event);
  }
  cudaEvent_t event = nullptr;  // after what was sent last
};

}  // namespace

Result<std::unique_ptr<HostCopy>> CudaDriver::make_transfer() {
  HW_CHECK(enter());
  auto made = std::make_unique<Sent>();
  HW_CUDA(cudaEventCreateWithFlags(&made->event, cudaEventDisableTiming));
  return std::unique_ptr<HostCopy>(std::move(made));
}

Status CudaDriver::send(HostCopy& transfer, void* to, const void* pinned, size_t bytes) {
  HW_CHECK(enter());
  HW_CUDA(cudaMemcpyAsync(to, pinned, bytes, cudaMemcpyHostToDevice, transfers_));
  HW_CUDA(cudaEventRecord(static_cast<Sent&>(transfer).event, transfers_));
  return ok();
}

Status CudaDriver::await(HostCopy& transfer) {
  HW_CHECK(enter());
  HW_CUDA(cudaStreamWaitEvent(stream_, static_cast<Sent&>(transfer).event, 0));
  return ok();
}

Status CudaDriver::arrive(HostCopy& transfer) {
  HW_CHECK(enter());
  HW_CUDA(cudaEventSynchronize(static_cast<Sent&>(transfer).event));
  return ok();
}

namespace {

struct Graph : Recording {
  ~Graph() override {
    if (graph) cudaGraphExecDestroy(graph);
  }
  cudaGraphExec_t graph = nullptr;
};

}  // namespace

Status CudaDriver::begin_recording() {
  HW_CHECK(enter());
  return check_alone(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture", id());
}

Result<std::unique_ptr<Recording>> CudaDriver::end_recording() {
  HW_CHECK(enter());
  cudaGraph_t captured = nullptr;
  HW_CHECK(check_alone(cudaStreamEndCapture(stream_, &captured), "cudaStreamEndCapture(stream_, &captured)", id()));
  auto made = std::make_unique<Graph>();
  const Status status = check_alone(cudaGraphInstantiate(&made->graph, captured, 0), "cudaGraphInstantiate", id());
  cudaGraphDestroy(captured);
  HW_CHECK(status);
  return std::unique_ptr<Recording>(std::move(made));
}

Status CudaDriver::replay(Recording& recording) {
  HW_CHECK(enter());
  HW_CUDA(cudaGraphLaunch(static_cast<Graph&>(recording).graph, stream_));
  return ok();
}

Status CudaDriver::set_mark(size_t mark) {
  HW_CHECK(enter());
  if (marks_.size() <= mark) marks_.resize(mark + 1);
  if (!marks_[mark]) HW_CUDA(cudaEventCreate(&marks_[mark]));
  HW_CUDA(cudaEventRecord(marks_[mark], stream_));
  return ok();
}

double CudaDriver::seconds_between(size_t from, size_t to) {
  float milliseconds = 0;
  if (!enter() || cudaEventSynchronize(marks_[to]) != cudaSuccess) return 0;
  if (!check_alone(cudaEventElapsedTime(&milliseconds, marks_[from], marks_[to]), "cudaEventElapsedTime")) return 0;
  return static_cast<double>(milliseconds) * 1e-3;
}

Status CudaDriver::plan(OpContext& c) {
  return plan_op<CudaLauncher>(c, *this);
}

}  // namespace hw::cuda
