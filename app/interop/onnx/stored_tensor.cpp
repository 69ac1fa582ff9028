#include "app/interop/onnx/stored_tensor.h"

#include <utility>

#include "engine/core/tensor_rows.h"
#include "engine/io/file_bytes.h"

namespace hw::interop {

/// Where elements come from: a place of a file, or another tensor that is turned.
struct StoredTensor::Source {
  std::shared_ptr<const TensorFile> file;  // null: of another tensor
  uint64_t at = 0;
  StoredTensor other;
  mutable std::weak_ptr<std::byte> last;  // what was read last
};

StoredTensor::StoredTensor(std::shared_ptr<const TensorFile> file, uint64_t at, DType dtype, Dims dims)
    : dtype_(dtype),
      dims_(std::move(dims)),
      source_(std::make_shared<const Source>(Source{std::move(file), at, {}, {}})) {}

StoredTensor StoredTensor::turned() const {
  if (source_ && !source_->file) return source_->other;
  StoredTensor made;
  made.dtype_ = dtype_;
  made.dims_ = {dims_.at(1), dims_.at(0)};
  made.source_ = std::make_shared<const Source>(Source{nullptr, 0, *this, {}});
  return made;
}

Result<Tensor> StoredTensor::read() const {
  if (!source_) return value_;
  if (auto last = source_->last.lock()) return Tensor(dtype_, dims_, std::move(last));
  Tensor made;
  if (const auto& file = source_->file) {
    if (!TensorFile::is_mapped(source_->at, dtype_, bytes())) HW_CHECK(check_memory_for(file->path(), bytes()));
    HW_TRY(made, file->tensor_at(source_->at, dtype_, dims_));
    HW_CHECK(file->check());
  } else {
    HW_TRY(const Tensor other, source_->other.read());
    HW_CHECK(check_memory_for("", bytes()));
    made = transposed(other);
    HW_CHECK(check_mapped(other.data()));
  }
  if (made.bytes() == 0) return made;
  auto* elements = made.as<std::byte>();
  const std::shared_ptr<std::byte> shared(std::make_shared<Tensor>(std::move(made)), elements);
  source_->last = shared;
  return Tensor(dtype_, dims_, shared);
}

}  // namespace hw::interop
