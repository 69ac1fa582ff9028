#include "tests/bench/conv_bench.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/dnnl/dnnl_descs.h"
#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/program/builder.h"

namespace hw::bench {
namespace {

struct Layer {
  const char* name;
  int64_t pictures, channels, size, out, kernel, stride;
};

double median_ms(int rounds, const std::function<void()>& f) {
  f();
  std::vector<double> ms;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

// The engine's three ops in one program.
class Engine {
 public:
  Engine(const Layer& l, DType dtype) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const int64_t pad = l.kernel / 2, size = window_count(l.size, l.kernel, l.stride, 1, 2 * pad);
    const Dims x{l.pictures, l.channels, l.size, l.size}, w{l.out, l.channels, l.kernel, l.kernel};
    const Dims y{l.pictures, l.out, size, size};
    ConvAttr attr{{l.stride, l.stride}, {1, 1}, {pad, pad}, {pad, pad}, 1, {}, DType::f32};
    const Val in = b.input("x", dtype, x), weight = b.input("w", dtype, w), g = b.input("g", dtype, y);
    std::vector<Val> out = b.emit(Op::conv2d, {in, weight}, attr);
    attr.dims = x;
    out.push_back(b.emit(Op::conv2d_grad_input, {g, weight}, attr)[0]);
    attr.dims = w;
    out.push_back(b.emit(Op::conv2d_grad_weight, {in, g}, attr)[0]);
    for (Val v : out) program->outputs.push_back({"out", v.id});
    device_ = *make_device("cpu");
    states_ = *device_->prepare_states(*program, nullptr, 1, nullptr);
    executable_ = std::move(*device_->compile(program, states_));
  }
  void run() { (void)executable_->run({}); }
  std::string implementations() const {
    std::string text;
    for (size_t i = 0; i < 3; ++i) text += (i ? ", " : "") + executable_->kernel_info(i).implementation;
    return text;
  }

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
  std::unique_ptr<Executable> executable_;
};

// The same three convolutions as oneDNN likes them best.
class Alone {
 public:
  explicit Alone(const Layer& l) : stream_(cpu::dnnl_engine()) {
    using Desc = dnnl::memory::desc;
    const auto f32 = dnnl::memory::data_type::f32;
    const auto tag = dnnl::memory::format_tag::any;
    const int64_t pad = l.kernel / 2, size = window_count(l.size, l.kernel, l.stride, 1, 2 * pad);
    const Desc x({l.pictures, l.channels, l.size, l.size}, f32, tag);
    const Desc w({l.out, l.channels, l.kernel, l.kernel}, f32, tag), y({l.pictures, l.out, size, size}, f32, tag);
    const cpu::ConvSteps steps{{l.stride, l.stride}, {0, 0}, {pad, pad}, {pad, pad}};
    const auto forward = cpu::conv_desc(true, x, w, {}, y, steps, {});
    const auto data = cpu::conv_grad_input_desc(x, w, y, steps, {}, forward);
    const auto weights = cpu::conv_grad_weight_desc(x, w, y, steps, {}, forward);
    add(dnnl::convolution_forward(forward), {{DNNL_ARG_SRC, forward.src_desc()},
                                             {DNNL_ARG_WEIGHTS, forward.weights_desc()},
                                             {DNNL_ARG_DST, forward.dst_desc()}});
    add(dnnl::convolution_backward_data(data), {{DNNL_ARG_DIFF_DST, data.diff_dst_desc()},
                                                {DNNL_ARG_WEIGHTS, data.weights_desc()},
                                                {DNNL_ARG_DIFF_SRC, data.diff_src_desc()}});
    add(dnnl::convolution_backward_weights(weights), {{DNNL_ARG_SRC, weights.src_desc()},
                                                      {DNNL_ARG_DIFF_DST, weights.diff_dst_desc()},
                                                      {DNNL_ARG_DIFF_WEIGHTS, weights.diff_weights_desc()}});
  }
  void run() {
    omp_set_num_threads(thread_count());
    for (auto& [primitive, arguments] : calls_) primitive.execute(stream_, arguments);
    stream_.wait();
  }

 private:
  void add(const dnnl::primitive& primitive, const std::vector<std::pair<int, dnnl::memory::desc>>& arguments) {
    std::unordered_map<int, dnnl::memory> memories;
    for (const auto& [argument, desc] : arguments) {
      dnnl::memory memory(desc, cpu::dnnl_engine());
      std::memset(memory.get_data_handle(), 0, desc.get_size());
      memories.emplace(argument, memory);
    }
    calls_.emplace_back(primitive, std::move(memories));
  }
  dnnl::stream stream_;
  std::vector<std::pair<dnnl::primitive, std::unordered_map<int, dnnl::memory>>> calls_;
};

}  // namespace

void print_convolutions(int rounds) {
  const Layer layers[] = {{"digits 1", 64, 1, 28, 16, 3, 1},       {"digits 2", 64, 16, 14, 32, 3, 1},
                          {"resnet 7x7 /2", 16, 3, 224, 64, 7, 2}, {"resnet 56", 16, 64, 56, 64, 3, 1},
                          {"resnet 28", 16, 128, 28, 128, 3, 1},   {"resnet 14", 16, 256, 14, 256, 3, 1},
                          {"resnet 7", 16, 512, 7, 512, 3, 1}};
  std::printf("\nconvolutions, forward and both gradients, ms (medians of %d):\n", rounds);
  for (const Layer& l : layers) {
    Engine engine(l, DType::f32), narrow(l, DType::bf16);
    Alone alone(l);
    std::vector<double> own, bf16, floor;
    for (int i = 0; i < rounds; ++i) {  // in turns, so that a busy machine slows both
      own.push_back(median_ms(1, [&] { engine.run(); }));
      bf16.push_back(median_ms(1, [&] { narrow.run(); }));
      floor.push_back(median_ms(1, [&] { alone.run(); }));
    }
    std::sort(own.begin(), own.end());
    std::sort(floor.begin(), floor.end());
    std::sort(bf16.begin(), bf16.end());
    const double mine = own[own.size() / 2], best = floor[floor.size() / 2];
    std::printf("  %-14s engine %8.2f  oneDNN alone %8.2f  oneDNN / engine %.2f  %s;  engine in bf16 %8.2f  %s\n",
                l.name, mine, best, best / mine, engine.implementations().c_str(), bf16[bf16.size() / 2],
                narrow.implementations().c_str());
  }
}

}  // namespace hw::bench
