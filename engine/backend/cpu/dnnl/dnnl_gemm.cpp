#include "engine/backend/cpu/dnnl/dnnl_gemm.h"

#include <omp.h>

#include <algorithm>
#include <new>

#include "engine/backend/cpu/dnnl/dnnl_arguments.h"
#include "engine/backend/cpu/dnnl/dnnl_descs.h"
#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/backend/cpu/dnnl/dnnl_reorder.h"

namespace hw::cpu {
namespace {

dnnl::memory::desc matrix(int64_t rows, int64_t columns, bool transposed, DType dtype) {
  const dnnl::memory::dims strides = transposed ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1};
  return {{rows, columns}, dnnl_type(dtype), strides};
}

}  // namespace

struct DnnlGemm::Primitive {
  dnnl::matmul::primitive_desc desc;
  dnnl::matmul matmul;
  DnnlReorder pack;
  DnnlArguments arguments;
};

bool multiplies_bf16() {
  constexpr auto kBf16 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);  // a bit each for what it builds on
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kBf16) == kBf16;
}

DnnlGemm::DnnlGemm(const GemmShape& shape, DType factors, bool packs, const DnnlGemm* like)
    : shape_(shape), implementation_("none (empty)") {
  if (shape.n == 0 || shape.k == 0 || shape.m == 0) return;
  const SingleThreadedDnnl single;
  try {
    const dnnl::memory::desc plain = matrix(shape.k, shape.m, shape.transpose_b, factors);
    const dnnl::memory::desc any({shape.k, shape.m}, dnnl_type(factors), dnnl::memory::format_tag::any);
    dnnl::matmul::primitive_desc desc = matmul_desc(matrix(shape.n, shape.k, shape.transpose_a, factors),
                                                    !packs                     ? plain
                                                    : like && like->primitive_ ? like->primitive_->desc.weights_desc()
                                                                               : any,
                                                    matrix(shape.n, shape.m, false, DType::f32), user_scratchpad());
    scratch_bytes_ = desc.scratchpad_desc().get_size();
    implementation_ = std::string("oneDNN ") + desc.impl_info_str();
    dnnl::matmul matmul(desc);
    DnnlReorder pack = packs ? DnnlReorder(plain, desc.weights_desc()) : DnnlReorder();
    packed_bytes_ = packs ? desc.weights_desc().get_size() : 0;
    std::vector<DnnlArguments::Argument> arguments{{DNNL_ARG_SRC, desc.src_desc()},
                                                   {DNNL_ARG_WEIGHTS, desc.weights_desc()},
                                                   {DNNL_ARG_DST, desc.dst_desc()},
                                                   {DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc()}};
    primitive_.reset(
        new Primitive{std::move(desc), std::move(matmul), std::move(pack), DnnlArguments(std::move(arguments))});
  } catch (const dnnl::error&) {
    throw std::bad_alloc();
  }
}

DnnlGemm::~DnnlGemm() = default;
DnnlGemm::DnnlGemm(DnnlGemm&&) noexcept = default;

void DnnlGemm::pack(const void* b, void* packed) const {
  if (primitive_) primitive_->pack.run(b, packed);
}

void DnnlGemm::run(const void* a, const void* b, float* c, std::byte* scratch) const {
  if (!primitive_) {
    std::fill(c, c + shape_.n * shape_.m, 0.0f);
    return;
  }
  const void* const data[] = {a, b, c, scratch};
  primitive_->arguments.run(primitive_->matmul, data);
}

SingleThreadedDnnl::SingleThreadedDnnl() : before_(omp_get_max_threads()) {
  omp_set_num_threads(1);
}

SingleThreadedDnnl::~SingleThreadedDnnl() {
  omp_set_num_threads(before_);
}

}  // namespace hw::cpu
