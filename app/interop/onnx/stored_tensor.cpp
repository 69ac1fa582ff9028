#include "app/interop/onnx/stored_tensor.h"

#include <utility>

#include "engine/core/tensor_rows.h"
#include "engine/io/file/file_bytes.h"

namespace hw::interop {

/// Where elements come from: a place of a file, or another tensor that is turned.
struct StoredTensor::Source {
  InFile place;  // without a file: of another tensor
  StoredTensor other;
  mutable std::weak_ptr<std::byte> last;  // what was read last
};

namespace {

/// Elements that the file has in other bits than memory.
Result<Tensor> read_packed(const StoredTensor::InFile& place, const Dims& dims) {
  const size_t size = packed_bytes(*place.type, static_cast<size_t>(element_count(dims)));
  const auto bytes = std::make_unique<unsigned char[]>(size);
  HW_CHECK(place.file->read(place.at, bytes.get(), size));
  return unpacked(*place.type, bytes.get(), dims);
}

}  // namespace

StoredTensor::StoredTensor(std::shared_ptr<const TensorFile> file, uint64_t at, const OnnxDType& type, Dims dims)
    : dtype_(type.held),
      dims_(std::move(dims)),
      source_(std::make_shared<const Source>(Source{{std::move(file), at, &type}, {}, {}})) {}

StoredTensor::InFile StoredTensor::in_file() const {
  return source_ ? source_->place : InFile{};
}

StoredTensor StoredTensor::turned() const {
  if (source_ && !source_->place.file) return source_->other;
  StoredTensor made;
  made.dtype_ = dtype_;
  made.dims_ = {dims_.at(1), dims_.at(0)};
  made.source_ = std::make_shared<const Source>(Source{{}, *this, {}});
  return made;
}

Result<Tensor> StoredTensor::read() const {
  if (!source_) return value_;
  if (auto last = source_->last.lock()) return Tensor(dtype_, dims_, std::move(last));
  Tensor made;
  if (const auto& [file, at, type] = source_->place; file) {
    const bool packed = type->is_held_wider();
    if (packed || !TensorFile::is_mapped(at, dtype_, bytes())) HW_CHECK(check_memory_for(file->path(), bytes()));
    HW_TRY(made, packed ? read_packed(source_->place, dims_) : file->tensor_at(at, dtype_, dims_));
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
