// sample_image and sample_rows on tiles; the bodies are those of engine/kernels/image_sampler.h and row_order.h.
#include <cstring>

#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/kernels/image_sampler.h"
#include "engine/kernels/row_order.h"

namespace hw::cpu {
namespace {

class SampleImage : public TileKernel {
 public:
  explicit SampleImage(const SampleImageAttr& attr)
      : attr_(attr), values_(kernels::channel_values(attr.linear, attr.image->deep.empty() ? 8 : 16)) {}
  void run(const Tile& tile, const Operand*, const Operand* out) const override {
    const Image& image = *attr_.image;
    float *position = out[0].as<float>(), *colour = out[1].as<float>();
    const Draw d = tile.draw(attr_.random, attr_.points, 1);
    for (int64_t i = 0; i < tile.rows; ++i) {
      const Philox4 r = philox_block(d.seed, d.stream, d.step, d.first + static_cast<uint64_t>(i));
      const kernels::ImagePoint p = image.deep.empty() ? sample(image.rgba, r) : sample(image.deep, r);
      std::memcpy(position + 2 * i, p.position, sizeof p.position);
      std::memcpy(colour + 3 * i, p.colour, sizeof p.colour);
    }
  }

 private:
  template <class Channel>
  kernels::ImagePoint sample(const std::vector<Channel>& rgba, const Philox4& r) const {
    return kernels::sample_pixel(rgba.data(), attr_.image->width, attr_.image->height, attr_.mode, values_.data(), r[0],
                                 r[1]);
  }
  SampleImageAttr attr_;
  std::vector<float> values_;
};

class SampleRows : public TileKernel {
 public:
  explicit SampleRows(const SampleRowsAttr& attr) : attr_(attr) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = scaled(static_cast<double>(i) / 255);
  }
  void run(const Tile& tile, const Operand*, const Operand* out) const override {
    const DatasetSplit& split = attr_.split();
    const auto count = static_cast<uint64_t>(split.count());
    const int64_t size = element_count(attr_.data->sample);
    const Draw d = tile.draw(attr_.random, attr_.rows, 1);
    const uint64_t begin =
        static_cast<uint64_t>(attr_.first) + d.step * attr_.random.parts * static_cast<uint64_t>(attr_.rows) + d.first;
    for (int64_t i = 0; i < tile.rows; ++i) {
      const uint64_t index = begin + static_cast<uint64_t>(i);
      const auto row = static_cast<int64_t>(kernels::row_of(index, count, attr_.shuffle, d.seed, d.stream));
      float* x = out[0].as<float>() + i * size;
      if (split.x.dtype() == DType::u8) {
        const uint8_t* from = split.x.as<uint8_t>() + split.begin_of(row, size);
        for (int64_t k = 0; k < size; ++k) x[k] = values_[from[k]];
      } else {
        const float* from = split.x.as<float>() + split.begin_of(row, size);
        for (int64_t k = 0; k < size; ++k) x[k] = scaled(static_cast<double>(from[k]));
      }
      out[1].as<int64_t>()[i] = split.labels.empty() ? -1 : split.labels.as<int64_t>()[row];
    }
  }

 private:
  float scaled(double value) const { return static_cast<float>((value - attr_.mean) / attr_.std); }
  SampleRowsAttr attr_;
  std::array<float, 256> values_;
};

std::unique_ptr<TileKernel> described(const KernelContext& c, std::unique_ptr<TileKernel> kernel) {
  kernel->kernel_info = own_kernel_info(c, DType::f32);
  kernel->kernel_info.implementation = "cpu scalar";
  return kernel;
}

}  // namespace

std::unique_ptr<TileKernel> make_sample_image(const KernelContext& c) {
  return described(c, std::make_unique<SampleImage>(c.attr<SampleImageAttr>()));
}

std::unique_ptr<TileKernel> make_sample_rows(const KernelContext& c) {
  return described(c, std::make_unique<SampleRows>(c.attr<SampleRowsAttr>()));
}

}  // namespace hw::cpu
