#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/backend/cuda/cublas_lt.h"
#include "engine/backend/cuda/cuda_error.h"

namespace hw::cuda {

using namespace gpu;

namespace {

#define HW_CUBLAS_CALLS(call)                                                                             \
  call(cublasLtCreate) call(cublasLtDestroy) call(cublasLtGetStatusString) call(cublasLtMatmul)           \
      call(cublasLtMatmulAlgoGetHeuristic) call(cublasLtMatmulDescCreate) call(cublasLtMatmulDescDestroy) \
          call(cublasLtMatmulDescSetAttribute) call(cublasLtMatmulPreferenceCreate)                       \
              call(cublasLtMatmulPreferenceDestroy) call(cublasLtMatmulPreferenceSetAttribute)            \
                  call(cublasLtMatrixLayoutCreate) call(cublasLtMatrixLayoutDestroy)                      \
                      call(cublasLtMatrixLayoutSetAttribute)

struct Calls {
#define HW_MEMBER(name) decltype(&::name) name = nullptr;
  HW_CUBLAS_CALLS(HW_MEMBER)
#undef HW_MEMBER
};

// Stays loaded for as long as the program runs.
Result<Calls> load() {
  const std::string library = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Error{codes::no_gpu, "cuda", "cuBLASLt cannot be loaded: " + std::string(dlerror()) + ".",
                 "Install the CUDA toolkit's libcublas of this version, or choose the cpu device."};
  Calls calls;
#define HW_FIND(name)                                                        \
  calls.name = reinterpret_cast<decltype(calls.name)>(dlsym(handle, #name)); \
  if (!calls.name) return Error{codes::no_gpu, "cuda", library + " lacks " #name ".", "Install another version."};
  HW_CUBLAS_CALLS(HW_FIND)
#undef HW_FIND
  return calls;
}

#define HW_CUBLAS(call) HW_CHECK(said((calls_.call), #call))

cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return CUDA_R_64F;
    case DType::f16:
      return CUDA_R_16F;
    case DType::bf16:
      return CUDA_R_16BF;
    case DType::f8e4m3:
      return CUDA_R_8F_E4M3;
    default:
      return CUDA_R_32F;
  }
}

// The largest power of two, up to 256, that divides the address.
uint32_t alignment(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  uint32_t bytes = 256;
  while (bytes > 1 && address % bytes != 0) bytes /= 2;
  return bytes;
}

// Row-major C = op(A) · op(B) is column-major Cᵀ = op(B)ᵀ · op(A)ᵀ: the library's first factor is B.
class Loaded : public CublasLt {
 public:
  explicit Loaded(const Calls& calls) : calls_(calls) {}
  ~Loaded() override {
    for (auto& [key, plan] : plans_) destroy(plan);
    if (handle_) calls_.cublasLtDestroy(handle_);
    cudaFree(workspace_);
  }

  Status start() {
    HW_CUBLAS(cublasLtCreate(&handle_));
    constexpr size_t kWorkspace = size_t{32} << 20;
    if (cudaMalloc(&workspace_, kWorkspace) == cudaSuccess)
      workspace_bytes_ = kWorkspace;
    else
      cudaGetLastError();  // products do without
    return ok();
  }

  Status multiply(const Gemm& g, cudaStream_t stream) override {
    constexpr int64_t kMostAtOnce = 65535;
    Gemm part = g;
    for (int64_t first = 0; first < g.batch; first += kMostAtOnce) {
      part.batch = std::min(kMostAtOnce, g.batch - first);
      part.a = further(g.a, first * g.step_a, g.operand);
      part.b = further(g.b, first * g.step_b, g.operand);
      part.c = const_cast<void*>(further(g.c, first * g.step_c, g.result));
      HW_CHECK(multiply_part(part, stream));
    }
    return ok();
  }

 private:
  using Key = std::tuple<DType, DType, bool, bool, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                         uint32_t, uint32_t, uint32_t, bool, uint32_t>;
  struct Plan {
    cublasLtMatmulDesc_t desc = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr, matrix = nullptr;
    cublasLtMatmulAlgo_t algo{};
    bool adds_bias = false, adds_matrix = false;  // the algorithm can
  };

  static const void* further(const void* memory, int64_t elements, DType dtype) {
    return static_cast<const std::byte*>(memory) + static_cast<size_t>(elements) * size_of(dtype);
  }

  Status said(cublasStatus_t status, const char* call) const {
    if (status == CUBLAS_STATUS_SUCCESS) return ok();
    return Error{codes::gpu_failed, "cuda", std::string(call) + ": " + calls_.cublasLtGetStatusString(status) + ".",
                 "Choose the cpu device."};
  }

  Status multiply_part(const Gemm& g, cudaStream_t stream) {
    const Key key{g.operand,
                  g.result,
                  g.transpose_a,
                  g.transpose_b,
                  g.n,
                  g.k,
                  g.m,
                  g.batch,
                  g.step_a,
                  g.step_b,
                  g.step_c,
                  alignment(g.a),
                  alignment(g.b),
                  alignment(g.c),
                  g.takes_bias,
                  g.matrix ? alignment(g.matrix) : 0};
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      Plan plan;
      const Status made = make(g, plan);
      if (!made) {
        destroy(plan);
        return made;
      }
      found = plans_.emplace(key, plan).first;
    }
    const Plan& p = found->second;
    if ((g.bias && !p.adds_bias) || (g.adds_matrix && !p.adds_matrix))
      return Error{codes::unsupported, "cuda", "cuBLASLt adds no bias to this product.", "Choose the cpu device."};
    if (p.adds_bias) HW_CHECK(set_epilogue(p, g.bias));
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    const bool wide = g.operand == DType::f64;
    const void* one = wide ? static_cast<const void*>(&one64) : &one32;
    const void* zero = wide ? static_cast<const void*>(&zero64) : &zero32;
    const cublasStatus_t status = calls_.cublasLtMatmul(
        handle_, p.desc, one, g.b, p.b, g.a, p.a, g.adds_matrix ? one : zero, p.adds_matrix ? g.matrix : g.c,
        p.adds_matrix ? p.matrix : p.c, g.c, p.c, &p.algo, workspace_, workspace_bytes_, stream);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED)  // an algorithm for products with a bias may refuse one without
      return Error{codes::unsupported, "cuda", "cuBLASLt refuses this product.", "Choose the cpu device."};
    return said(status, "cublasLtMatmul");
  }

  Status layout(cublasLtMatrixLayout_t& made, DType dtype, int64_t rows, int64_t columns, int64_t batch,
                int64_t step) const {
    HW_CUBLAS(cublasLtMatrixLayoutCreate(&made, type_of(dtype), static_cast<uint64_t>(rows),
                                         static_cast<uint64_t>(columns), rows));
    const auto count = static_cast<int32_t>(batch);
    HW_CUBLAS(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
    HW_CUBLAS(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step));
    return ok();
  }

  Status make(const Gemm& g, Plan& p) const {
    const bool wide = g.operand == DType::f64;
    const cublasComputeType_t compute = wide                       ? CUBLAS_COMPUTE_64F
                                        : g.operand == DType::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                   : CUBLAS_COMPUTE_32F;
    HW_CUBLAS(cublasLtMatmulDescCreate(&p.desc, compute, wide ? CUDA_R_64F : CUDA_R_32F));
    const cublasOperation_t first = g.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second = g.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    HW_CUBLAS(cublasLtMatmulDescSetAttribute(p.desc, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first));
    HW_CUBLAS(cublasLtMatmulDescSetAttribute(p.desc, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second));
    const int8_t fast = 0;  // f8: sums are carried over into f32
    HW_CUBLAS(cublasLtMatmulDescSetAttribute(p.desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast));
    HW_CHECK(layout(p.b, g.operand, g.transpose_b ? g.k : g.m, g.transpose_b ? g.m : g.k, g.batch, g.step_b));
    HW_CHECK(layout(p.a, g.operand, g.transpose_a ? g.n : g.k, g.transpose_a ? g.k : g.n, g.batch, g.step_a));
    HW_CHECK(layout(p.c, g.result, g.m, g.n, g.batch, g.step_c));
    if (g.matrix) HW_CHECK(layout(p.matrix, g.result, g.m, g.n, g.batch, 0));
    cublasLtMatmulPreference_t preference = nullptr;
    HW_CUBLAS(cublasLtMatmulPreferenceCreate(&preference));
    const Status chosen = choose(g, preference, p);
    calls_.cublasLtMatmulPreferenceDestroy(preference);
    return chosen;
  }

  Status choose(const Gemm& g, cublasLtMatmulPreference_t preference, Plan& p) const {
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) -> Status {
      HW_CUBLAS(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value));
      return ok();
    };
    // Not in place: partial sums of split products would be added as they come.
    constexpr uint32_t kReductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    HW_CHECK(prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes_));
    HW_CHECK(prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions));
    HW_CHECK(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(g.b)));
    HW_CHECK(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(g.a)));
    HW_CHECK(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                    g.matrix ? std::min(alignment(g.matrix), alignment(g.c)) : alignment(g.c)));
    HW_CHECK(prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(g.c)));
    cublasLtMatmulHeuristicResult_t result{};
    const auto find = [&](cublasLtMatrixLayout_t added) {
      int count = 0;
      const auto status =
          calls_.cublasLtMatmulAlgoGetHeuristic(handle_, p.desc, p.b, p.a, added, p.c, preference, 1, &result, &count);
      return status == CUBLAS_STATUS_SUCCESS && count > 0;
    };
    // An algorithm that adds one is taken where there is none too: its sums are the same. Of f8 the library takes
    // biases in bf16 alone.
    if (g.takes_bias && info(g.operand).bits != 8) {
      const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
      HW_CUBLAS(cublasLtMatmulDescSetAttribute(p.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
      p.adds_bias = find(p.c);
      HW_CHECK(set_epilogue(p, nullptr));
    }
    if (p.matrix) p.adds_matrix = find(p.matrix);
    if (!p.adds_bias && !p.adds_matrix && !find(p.c))
      return Error{codes::unsupported, "cuda", "cuBLASLt has no product for this shape and dtype.",
                   "Choose the cpu device."};
    p.algo = result.algo;
    return ok();
  }

  /// Null: nothing is added.
  Status set_epilogue(const Plan& p, const void* bias) const {
    const cublasLtEpilogue_t epilogue = bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    HW_CUBLAS(cublasLtMatmulDescSetAttribute(p.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    if (bias) HW_CUBLAS(cublasLtMatmulDescSetAttribute(p.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    return ok();
  }

  void destroy(Plan& p) const {
    if (p.desc) calls_.cublasLtMatmulDescDestroy(p.desc);
    for (cublasLtMatrixLayout_t l : {p.a, p.b, p.c, p.matrix})
      if (l) calls_.cublasLtMatrixLayoutDestroy(l);
  }

  Calls calls_;
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  size_t workspace_bytes_ = 0;
  std::map<Key, Plan> plans_;
};

}  // namespace

Result<std::unique_ptr<CublasLt>> make_cublas_lt() {
  HW_TRY(const Calls calls, load());
  auto made = std::make_unique<Loaded>(calls);
  HW_CHECK(made->start());
  return std::unique_ptr<CublasLt>(std::move(made));
}

}  // namespace hw::cuda
