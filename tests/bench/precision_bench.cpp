#include "tests/bench/precision_bench.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/dnnl/dnnl_descs.h"
#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/core/convert.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/program/adjoint.h"
#include "tests/bench/quantile.h"

namespace hw::bench {
namespace {

constexpr int64_t kBatch = 1 << 14, kWidth = 256, kLayers = 4;

template <class F>
double seconds(F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Form {
  const char* name;
  DType storage;
  std::optional<DType> compute;
};

// One training step.
class Mlp {
 public:
  explicit Mlp(const Form& form) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    Val h = b.input("x", form.storage, {kBatch, kWidth});
    const Val target = b.input("target", form.storage, {kBatch, kWidth});
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      const Init kaiming{Init::Kind::uniform, std::sqrt(6.0 / kWidth)};
      const Val w = b.param("w" + std::to_string(layer), form.storage, {kWidth, kWidth}, kaiming);
      h = b.matmul(h, w, true, form.compute);
      if (layer + 1 < kLayers) h = b.relu(h);
    }
    const Val difference = b.sub(h, target);
    const Val loss = b.mean(b.mul(difference, difference));
    const auto gradients = build_adjoint(b, loss);
    b.set_update(true);
    for (const Param& param : std::vector<Param>(program->params)) {
      const Value master = (*program)[param.master];
      b.emit(Op::sgd_update,
             {Val{param.view}, Val{param.master}, b.state(param.name + "#momentum", master.dtype, master.dims),
              gradients->of.at(param.view)},
             UpdateAttr{});
    }
    device_ = *make_device("cpu");
    states_ = *device_->prepare_states(*program, nullptr, 1, nullptr);
    executable_ = std::move(*device_->compile(program, states_));
    std::vector<double> values(kBatch * kWidth);
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
    for (const char* name : {"x", "target"})
      (void)executable_->write_input(name, Tensor::from_f64(form.storage, {kBatch, kWidth}, values));
    for (size_t i = 0; i < program->instrs.size(); ++i)
      if (program->instrs[i].op == Op::matmul) kernel_ = executable_->kernel_info(i);
  }
  double step() {
    return seconds([&] { (void)executable_->run(inputs_); });
  }
  const KernelInfo& kernel() const { return kernel_; }

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
  std::unique_ptr<Executable> executable_;
  StepInputs inputs_;
  KernelInfo kernel_;
};

// The products of one f32 step by oneDNN with its own threads: four forward, four of weights, three of inputs.
class Products {
 public:
  Products() : stream_(cpu::dnnl_engine()) {
    const auto f32 = dnnl::memory::data_type::f32;
    const auto add = [&](int64_t n, int64_t k, bool ta, bool tb, int64_t count) {
      using Dims2 = dnnl::memory::dims;
      const dnnl::memory::desc a({n, k}, f32, ta ? Dims2{1, n} : Dims2{k, 1});
      const dnnl::memory::desc w({k, kWidth}, f32, tb ? Dims2{1, k} : Dims2{kWidth, 1});
      const dnnl::memory::desc y({n, kWidth}, f32, Dims2{kWidth, 1});
      const dnnl::matmul::primitive_desc desc = cpu::matmul_desc(a, w, y, {});
      Call call{dnnl::matmul(desc), {}, count};
      for (const auto& [argument, what] :
           {std::pair(DNNL_ARG_SRC, a), std::pair(DNNL_ARG_WEIGHTS, w), std::pair(DNNL_ARG_DST, y)}) {
        dnnl::memory memory(what, cpu::dnnl_engine());
        std::fill_n(static_cast<float*>(memory.get_data_handle()), what.get_size() / sizeof(float), 1.0f);
        call.arguments.emplace(argument, memory);
      }
      calls_.push_back(std::move(call));
    };
    add(kBatch, kWidth, false, true, kLayers);
    add(kBatch, kWidth, false, false, kLayers - 1);
    add(kWidth, kBatch, true, false, kLayers);
  }
  double step() {
    omp_set_num_threads(thread_count());
    return seconds([&] {
      for (Call& call : calls_)
        for (int64_t i = 0; i < call.count; ++i) call.matmul.execute(stream_, call.arguments);
      stream_.wait();
    });
  }

 private:
  struct Call {
    dnnl::matmul matmul;
    std::unordered_map<int, dnnl::memory> arguments;
    int64_t count;
  };
  dnnl::stream stream_;
  std::vector<Call> calls_;
};

}  // namespace

void print_conversions(int rounds) {
  constexpr size_t kCount = 1 << 18;
  std::vector<float> wide(kCount);
  for (size_t i = 0; i < kCount; ++i) wide[i] = std::sin(static_cast<float>(i)) * 4;
  std::vector<unsigned char> narrow(kCount * sizeof(float));
  std::printf("\nconversions, GB/s read and written, one thread:\n");
  for (DType dtype : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    const double bytes = static_cast<double>(kCount * (sizeof(float) + size_of(dtype)));
    constexpr int kTimes = 64;
    std::vector<double> down, up;
    for (int round = 0; round <= rounds; ++round) {
      down.push_back(kTimes * bytes / seconds([&] {
                       for (int i = 0; i < kTimes; ++i) convert(dtype, narrow.data(), DType::f32, wide.data(), kCount);
                     }));
      up.push_back(kTimes * bytes / seconds([&] {
                     for (int i = 0; i < kTimes; ++i) convert(DType::f32, wide.data(), dtype, narrow.data(), kCount);
                   }));
    }
    std::printf("  f32 to %-7s %6.1f   back %6.1f\n", name(dtype).data(), median(down) / 1e9, median(up) / 1e9);
  }
}

void print_wide_mlp(int rounds) {
  const Form forms[] = {{"f32", DType::f32, {}},
                        {"bf16", DType::bf16, {}},
                        {"f8e4m3", DType::f8e4m3, {}},
                        {"f16", DType::f16, {}},
                        {"f32 in tf32", DType::f32, DType::tf32},
                        {"f32 in bf16", DType::f32, DType::bf16}};
  std::vector<Mlp> mlps;
  for (const Form& form : forms) mlps.emplace_back(form);
  Products products;
  std::vector<std::vector<double>> taken(std::size(forms)), ratios(std::size(forms));
  std::vector<double> floor, share;
  for (int round = 0; round <= rounds; ++round) {
    for (size_t i = 0; i < mlps.size(); ++i) taken[i].push_back(mlps[i].step());
    floor.push_back(products.step());
    if (round == 0) {  // warms up
      for (auto& t : taken) t.clear();
      floor.clear();
      continue;
    }
    share.push_back(floor.back() / taken[0].back());
    for (size_t i = 0; i < mlps.size(); ++i) ratios[i].push_back(taken[0].back() / taken[i].back());
  }
  std::printf("\ntraining an MLP %lld x %lld, batch %lld (medians of %d):\n", static_cast<long long>(kWidth),
              static_cast<long long>(kLayers), static_cast<long long>(kBatch), rounds);
  for (size_t i = 0; i < mlps.size(); ++i)
    std::printf("  %-12s %8.2f ms  %8.0f samples/s  %5.2f x f32  compute %s, %s\n", forms[i].name,
                median(taken[i]) * 1e3, kBatch / median(taken[i]), median(ratios[i]),
                name(mlps[i].kernel().compute).data(), mlps[i].kernel().implementation.c_str());
  std::printf("  f32 products alone (oneDNN) %8.2f ms: %.2f of the f32 step\n", median(floor) * 1e3, median(share));
}

}  // namespace hw::bench
