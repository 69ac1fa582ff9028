// hash_grid level by level, for tables that outgrow the caches (see cpu_tiling.h): all points read one level, which
// fits, before the next. Each point's bits are those of the tiles.
#include <cstring>

#include "engine/backend/cpu/kernels/counted_pieces.h"
#include "engine/backend/cpu/kernels/hash_grid_encoder.h"
#include "engine/core/parallel.h"

namespace hw::cpu {
namespace {

class LevelForward : public WholeKernel {
 public:
  explicit LevelForward(const KernelContext& c)
      : encoder_(c),
        capacity_(PointArrays::padded_points(std::min(kBlockPoints, c.in(0).dims[0]))),
        positions_(PointArrays::bytes(capacity_)),
        pairs_(static_cast<size_t>(capacity_ * encoder_.point_words()) * sizeof(uint32_t)) {}

  size_t own_bytes() const override { return positions_.bytes() + pairs_.bytes(); }
  void take_memory() override {
    positions_.take();
    pairs_.take();
  }

  void run(const WholeRun& run, const Operand* in, const Operand* out) override {
    for (int64_t first = 0; first < in[0].rows; first += kBlockPoints)
      encode(run.step, in, out[0], first, std::min(kBlockPoints, in[0].rows - first));
  }

 private:
  // Points that are encoded together: they read most lines of a level several times.
  static constexpr int64_t kBlockPoints = 1 << 16;
  static constexpr int64_t kPiece = 4096;  // points of one call of the pool
  static_assert(kPiece % kHashGroup == 0);

  uint32_t* row(int64_t word) const { return reinterpret_cast<uint32_t*>(pairs_.data()) + word * capacity_; }

  void encode(const StepInputs& step, const Operand* in, const Operand& out, int64_t first, int64_t points) const {
    const PointArrays all(positions_.data(), capacity_);
    all.fill(in[0].as<float>() + encoder_.grid().dims * first, points, encoder_.grid().dims);
    const int64_t pieces = (points + kPiece - 1) / kPiece;
    // In this order, so that threads are at one level at a time.
    each_piece(encoder_.levels() * pieces, 1, out.losses, [&](int64_t i, int64_t, RoundingLosses* losses) {
      if (step.cancelled()) return;
      const int64_t level = i / pieces, piece = i % pieces, at = piece * kPiece;
      fetch(level + 1, piece, pieces, in[1].data);
      const float* const x[3] = {all.x[0] + at, all.x[1] + at, all.x[2] + at};
      encoder_.encode(level, x, std::min(kPiece, points - at), in[1].data, row(level * encoder_.pair_words()) + at,
                      capacity_, losses);
    });
    parallel_for(pieces, [&](int64_t piece) {
      if (step.cancelled()) return;
      const int64_t at = piece * kPiece;
      encoder_.transpose(row(0) + at, capacity_, out.as<uint32_t>() + (first + at) * encoder_.point_words(),
                         std::min(kPiece, points - at));
    });
  }

  // A piece's part of a level that comes next: a sweep over it takes less time than misses here and there.
  void fetch(int64_t level, int64_t piece, int64_t pieces, const std::byte* table) const {
    if (level >= encoder_.levels()) return;
    const HashGridLevel& next = encoder_.grid().levels[static_cast<size_t>(level)];
    constexpr int64_t kLine = 64;  // bytes
    const int64_t entry_bytes = encoder_.pair_words() * static_cast<int64_t>(sizeof(uint32_t));
    const int64_t bytes = next.entries * entry_bytes, part = (bytes / pieces + kLine - 1) / kLine * kLine;
    const std::byte* begin = table + next.offset * entry_bytes;
    for (int64_t at = piece * part; at < std::min(bytes, (piece + 1) * part); at += kLine)
      __builtin_prefetch(begin + at, 0, 2);
  }

  HashGridEncoder encoder_;
  int64_t capacity_;
  OwnBuffer positions_, pairs_;  // [3, capacity]; [words, capacity]
};

// Where there are no vector loops: the kernel of tiles, on all tiles.
class EachTile : public WholeKernel {
 public:
  explicit EachTile(std::unique_ptr<TileKernel> kernel) : kernel_(std::move(kernel)) {}
  void run(const WholeRun& run, const Operand* in, const Operand* out) override {
    constexpr int64_t kRows = 1024;
    each_piece(in[0].rows, kRows, out[0].losses, [&](int64_t begin, int64_t end, RoundingLosses* losses) {
      if (run.step.cancelled()) return;
      const Tile tile{begin, end - begin, &run.step, nullptr};
      const auto part = [&](Operand x) {
        x.data += static_cast<size_t>(tile.first_row * x.row_elems) * size_of(x.dtype);
        x.rows = tile.rows;
        return x;
      };
      const Operand from[] = {part(in[0]), in[1]};
      Operand to = part(out[0]);
      to.losses = losses;
      kernel_->run(tile, from, &to);
    });
  }

 private:
  std::unique_ptr<TileKernel> kernel_;  // takes no scratch
};

}  // namespace

std::unique_ptr<WholeKernel> make_hash_grid_by_level(const KernelContext& c) {
  if (c.simd.hash_grid.encode_level) {
    auto kernel = std::make_unique<LevelForward>(c);
    kernel->kernel_info = own_kernel_info(c, c.out().dtype);
    return kernel;
  }
  std::unique_ptr<TileKernel> tiles = make_hash_grid_by_point(c);
  const KernelInfo info = tiles->kernel_info;
  auto kernel = std::make_unique<EachTile>(std::move(tiles));
  kernel->kernel_info = info;
  return kernel;
}

}  // namespace hw::cpu
