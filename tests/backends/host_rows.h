// Rows of a small data set, for devices that send them from host memory.
#pragma once

#include "engine/devices/devices.h"
#include "op_cases.h"

namespace hw::test {

/// `overlap`: samples begin at every second element of one long row.
inline std::shared_ptr<const Dataset> small_set(DType dtype, bool overlap = false) {
  auto data = std::make_shared<Dataset>();
  data->sample = {3, 5};
  data->classes = 4;
  data->train.x = Tensor::from_f64(dtype, {11, 3, 5}, numbers(165, 0, 200, 1));
  if (overlap) {
    auto source = std::make_shared<SplitSource>();
    source->count = 11;
    source->dtype = dtype;
    source->sample_bytes = data->train.x.bytes();
    data->train.source = std::move(source);
    data->train.stride = 2;
  }
  data->train.labels = Tensor(DType::i64, {11});
  for (int64_t i = 0; i < 11; ++i) data->train.labels.as<int64_t>()[i] = i % 4;
  return data;
}

/// Rows of a small data set, on one device.
struct Rows {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  OpBuilder::Rows out;
  std::unique_ptr<Executable> executable;

  Rows(Device& device, DType dtype, bool shuffle, uint64_t parts = 1, bool overlap = false) {
    OpBuilder b(*program);
    b.set_node("data");
    SampleRowsAttr attr{small_set(dtype, overlap), Split::train, 4, shuffle, {}, 2, 0.25, 2};
    attr.random = {.stream = 9, .parts = parts};
    const std::vector<Val> made = b.emit(Op::sample_rows, {}, attr);
    out = {made[0], made[1]};
    for (Val v : made) program->outputs.push_back({"y", v.id});
    executable = *device.compile(program, *device.prepare_states(*program, nullptr, 1, nullptr));
  }
  void run(uint64_t seed, uint64_t step) {
    StepInputs inputs;
    inputs.seed = seed;
    inputs.step = step;
    const Status status = executable->run(inputs);
    EXPECT_TRUE(status) << (status ? "" : status.error().text());
  }
};

/// Bytes and floats, shuffled and in order, whole batches and parts.
inline void expect_rows_of_the_cpu(const std::shared_ptr<Device>& device) {
  for (DType dtype : {DType::u8, DType::f32})
    for (bool shuffle : {true, false})
      for (const auto& [parts, overlap] : {std::pair<uint64_t, bool>{1, false}, {3, false}, {1, true}}) {
        Rows gpu(*device, dtype, shuffle, parts, overlap), cpu(**make_device("cpu"), dtype, shuffle, parts, overlap);
        for (uint64_t step = 0; step < 9; ++step) {
          gpu.run(7, step);
          cpu.run(7, step);
          for (Val v : {gpu.out.x, gpu.out.labels})
            EXPECT_TRUE(same_bits(*gpu.executable->read(v.id), *cpu.executable->read(v.id)))
                << name(dtype) << ", step " << step;
        }
      }
}

}  // namespace hw::test
