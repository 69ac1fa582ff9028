#include <cudnn.h>

#include <limits>
#include <map>
#include <vector>

#include "engine/backend/cuda/cudnn_convolution.h"
#include "engine/core/codes.h"

// The calls on whole convolutions are deprecated in cuDNN 9 in favour of its graph interface, and still there: they
// take an algorithm by name, so that which sums are made, and in which order, is fixed here and not found by timing.
namespace hw::cuda {

using namespace gpu;

namespace {

Status said(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return ok();
  return Error{codes::gpu_failed, "cuda", std::string(call) + ": " + cudnnGetErrorString(status) + ".",
               "Choose the cpu device, or build without HALFWIRE_CUDNN."};
}
#define HW_CUDNN(call) HW_CHECK(said((call), #call))

// Sums in a fixed order, of products as they are: neither Winograd's nor Fourier's transforms, whose rounding is
// larger.
constexpr cudnnConvolutionFwdAlgo_t kForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr cudnnConvolutionBwdDataAlgo_t kGradInput = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
constexpr cudnnConvolutionBwdFilterAlgo_t kGradWeight = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

cudnnDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return CUDNN_DATA_DOUBLE;
    case DType::f16:
      return CUDNN_DATA_HALF;
    case DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

// f32 factors stay f32: tensor cores would round them to tf32.
cudnnMathType_t math_of(DType dtype) {
  return dtype == DType::f64 || dtype == DType::f32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
}

struct Plan {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t weight = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  std::optional<size_t> scratch_bytes;

  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    if (x) cudnnDestroyTensorDescriptor(x);
    if (y) cudnnDestroyTensorDescriptor(y);
    if (weight) cudnnDestroyFilterDescriptor(weight);
    if (convolution) cudnnDestroyConvolutionDescriptor(convolution);
  }
};

std::vector<int64_t> key_of(const Convolution& c) {
  const ConvShape& s = c.shape;
  return {static_cast<int64_t>(c.op),
          static_cast<int64_t>(c.dtype),
          c.groups,
          s.pictures,
          s.channels,
          s.height,
          s.width,
          s.kernel_h,
          s.kernel_w,
          s.out_h,
          s.out_w,
          s.outputs,
          s.stride_h,
          s.stride_w,
          s.dilation_h,
          s.dilation_w,
          s.pad_h,
          s.pad_w};
}

// Sizes that the library counts in int.
bool is_counted(const Convolution& c) {
  const ConvShape& s = c.shape;
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  return s.pictures * s.picture() <= kMost && s.pictures * s.outputs * s.area() <= kMost &&
         s.outputs * s.channels / c.groups * s.taps() <= kMost;
}

class Started : public CudnnConvolution {
 public:
  ~Started() override {
    plans_.clear();
    if (handle_) cudnnDestroy(handle_);
  }

  Status start() {
    const cudnnStatus_t status = cudnnCreate(&handle_);
    if (status == CUDNN_STATUS_SUCCESS) return ok();
    return Error{codes::no_gpu, "cuda", std::string("cuDNN cannot be started: ") + cudnnGetErrorString(status) + ".",
                 "Install cuDNN 9 for this toolkit, or build without HALFWIRE_CUDNN."};
  }

  std::optional<size_t> scratch_bytes(const Convolution& c) override {
    if (!is_counted(c)) return {};
    const auto [found, fresh] = plans_.try_emplace(key_of(c));
    Plan& plan = found->second;
    if (fresh && !describe(c, plan)) plan.scratch_bytes.reset();
    return plan.scratch_bytes;
  }

  Status run(const Convolution& c, cudaStream_t stream) override {
    const auto found = plans_.find(key_of(c));
    if (found == plans_.end() || !found->second.scratch_bytes || *found->second.scratch_bytes > c.scratch_bytes)
      return Error{codes::unsupported, "cuda", "cuDNN was not asked for this convolution.", "Choose the cpu device."};
    const Plan& p = found->second;
    HW_CUDNN(cudnnSetStream(handle_, stream));
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    const bool wide = c.dtype == DType::f64;
    const void* one = wide ? static_cast<const void*>(&one64) : &one32;
    const void* zero = wide ? static_cast<const void*>(&zero64) : &zero32;
    if (c.op == Op::conv2d)
      HW_CUDNN(cudnnConvolutionForward(handle_, one, p.x, c.first, p.weight, c.second, p.convolution, kForward,
                                       c.scratch, c.scratch_bytes, zero, p.y, c.result));
    else if (c.op == Op::conv2d_grad_input)
      HW_CUDNN(cudnnConvolutionBackwardData(handle_, one, p.weight, c.second, p.y, c.first, p.convolution, kGradInput,
                                            c.scratch, c.scratch_bytes, zero, p.x, c.result));
    else
      HW_CUDNN(cudnnConvolutionBackwardFilter(handle_, one, p.x, c.first, p.y, c.second, p.convolution, kGradWeight,
                                              c.scratch, c.scratch_bytes, zero, p.weight, c.result));
    return ok();
  }

 private:
  /// Fails where the library has no such convolution.
  Status describe(const Convolution& c, Plan& p) {
    const ConvShape& s = c.shape;
    const cudnnDataType_t type = type_of(c.dtype);
    const auto size = [](int64_t n) { return static_cast<int>(n); };
    HW_CUDNN(cudnnCreateTensorDescriptor(&p.x));
    HW_CUDNN(cudnnCreateTensorDescriptor(&p.y));
    HW_CUDNN(cudnnCreateFilterDescriptor(&p.weight));
    HW_CUDNN(cudnnCreateConvolutionDescriptor(&p.convolution));
    HW_CUDNN(cudnnSetTensor4dDescriptor(p.x, CUDNN_TENSOR_NCHW, type, size(s.pictures), size(s.channels),
                                        size(s.height), size(s.width)));
    HW_CUDNN(cudnnSetTensor4dDescriptor(p.y, CUDNN_TENSOR_NCHW, type, size(s.pictures), size(s.outputs), size(s.out_h),
                                        size(s.out_w)));
    HW_CUDNN(cudnnSetFilter4dDescriptor(p.weight, type, CUDNN_TENSOR_NCHW, size(s.outputs), size(s.channels / c.groups),
                                        size(s.kernel_h), size(s.kernel_w)));
    HW_CUDNN(cudnnSetConvolution2dDescriptor(
        p.convolution, size(s.pad_h), size(s.pad_w), size(s.stride_h), size(s.stride_w), size(s.dilation_h),
        size(s.dilation_w), CUDNN_CROSS_CORRELATION, c.dtype == DType::f64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
    HW_CUDNN(cudnnSetConvolutionGroupCount(p.convolution, size(c.groups)));
    HW_CUDNN(cudnnSetConvolutionMathType(p.convolution, math_of(c.dtype)));
    size_t bytes = 0;
    if (c.op == Op::conv2d)
      HW_CUDNN(cudnnGetConvolutionForwardWorkspaceSize(handle_, p.x, p.weight, p.convolution, p.y, kForward, &bytes));
    else if (c.op == Op::conv2d_grad_input)
      HW_CUDNN(
          cudnnGetConvolutionBackwardDataWorkspaceSize(handle_, p.weight, p.y, p.convolution, p.x, kGradInput, &bytes));
    else
      HW_CUDNN(cudnnGetConvolutionBackwardFilterWorkspaceSize(handle_, p.x, p.y, p.convolution, p.weight, kGradWeight,
                                                              &bytes));
    p.scratch_bytes = bytes;
    return ok();
  }

  cudnnHandle_t handle_ = nullptr;
  std::map<std::vector<int64_t>, Plan> plans_;
};

}  // namespace

Result<std::unique_ptr<CudnnConvolution>> make_cudnn_convolution() {
  auto made = std::make_unique<Started>();
  HW_CHECK(made->start());
  return std::unique_ptr<CudnnConvolution>(std::move(made));
}

}  // namespace hw::cuda
