#include "app/interop/onnx/split_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

namespace hw::interop {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

// How a field is written: the last three bits of its tag, before which its number stands.
enum WireKind : uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

/// The bytes of a file in order; what is skipped is not read.
class FileStream : public google::protobuf::io::CopyingInputStream {
 public:
  explicit FileStream(const TensorFile& file) : file_(file) {}
  int Read(void* to, int size) override {
    const auto got = static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(size), file_.size() - at_));
    if (got > 0 && !file_.read(at_, to, static_cast<uint64_t>(got))) return -1;
    at_ += static_cast<uint64_t>(got);
    return got;
  }
  int Skip(int count) override {
    const auto skipped = std::min<uint64_t>(static_cast<uint64_t>(count), file_.size() - at_);
    at_ += skipped;
    return static_cast<int>(skipped);
  }

 private:
  const TensorFile& file_;
  uint64_t at_ = 0;
};

void put(std::string& to, uint32_t tag, uint64_t number) {
  StringOutputStream stream(&to);
  CodedOutputStream coded(&stream);
  coded.WriteTag(tag);
  coded.WriteVarint64(number);
}

void put_bytes(std::string& to, uint32_t tag, const std::string& bytes) {
  put(to, tag, bytes.size());
  to += bytes;
}

/// How many bytes a field has. False: more than there are.
bool read_length(CodedInputStream& in, int& length) {
  return in.ReadVarintSizeAsInt(&length) && length <= in.BytesUntilLimit();
}

/// The field of this tag as it is. False: it cannot be read.
bool copy_field(CodedInputStream& in, uint32_t tag, std::string& to) {
  switch (tag & 7) {
    case kVarint: {
      uint64_t number = 0;
      if (!in.ReadVarint64(&number)) return false;
      put(to, tag, number);
      return true;
    }
    case kLengthDelimited: {
      int length = 0;
      std::string bytes;
      if (!read_length(in, length) || !in.ReadString(&bytes, length)) return false;
      put_bytes(to, tag, bytes);
      return true;
    }
    case kFixed32:
    case kFixed64: {
      const bool wide = (tag & 7) == kFixed64;
      std::string bytes;
      if (!in.ReadString(&bytes, wide ? 8 : 4)) return false;
      StringOutputStream stream(&to);
      CodedOutputStream coded(&stream);
      coded.WriteTag(tag);
      coded.WriteString(bytes);
      return true;
    }
    default:
      return false;  // groups, which no version of the format has
  }
}

bool is_field(uint32_t tag, uint32_t number) {
  return tag == (number << 3 | kLengthDelimited);
}

/// Calls `field(tag)` with each of the message that begins with its length here. False: it does not end where it says,
/// or `field` returned false.
template <class Field>
bool each_field(CodedInputStream& in, const Field& field) {
  int length = 0;
  if (!read_length(in, length)) return false;
  const auto outer = in.PushLimit(length);
  while (const uint32_t tag = in.ReadTag())
    if (!field(tag)) return false;
  if (!in.ConsumedEntireMessage() || in.BytesUntilLimit() != 0) return false;
  in.PopLimit(outer);
  return true;
}

bool split_tensor(CodedInputStream& in, SplitTensor& into) {
  std::string rest;
  const bool read = each_field(in, [&](uint32_t tag) {
    if (!is_field(tag, onnx::TensorProto::kRawDataFieldNumber)) return copy_field(in, tag, rest);
    int length = 0;
    std::string bytes;
    if (!read_length(in, length)) return false;
    into.raw.reset();  // the last one counts
    if (static_cast<uint64_t>(length) >= kLargeTensor) {
      into.raw = Place{static_cast<uint64_t>(in.CurrentPosition()), static_cast<uint64_t>(length)};
      return in.Skip(length);
    }
    if (!in.ReadString(&bytes, length)) return false;
    put_bytes(rest, tag, bytes);
    return true;
  });
  return read && into.proto.ParseFromString(rest);
}

bool split_graph(CodedInputStream& in, std::string& rest, std::vector<SplitTensor>& initializers) {
  return each_field(in, [&](uint32_t tag) {
    if (!is_field(tag, onnx::GraphProto::kInitializerFieldNumber)) return copy_field(in, tag, rest);
    return split_tensor(in, initializers.emplace_back());
  });
}

}  // namespace

std::optional<SplitModel> split_model(const TensorFile& file) {
  FileStream bytes(file);
  google::protobuf::io::CopyingInputStreamAdaptor stream(&bytes);
  CodedInputStream in(&stream);
  const auto whole = in.PushLimit(static_cast<int>(file.size()));
  SplitModel made;
  while (const uint32_t tag = in.ReadTag()) {
    if (is_field(tag, onnx::ModelProto::kGraphFieldNumber)) {
      std::string graph;
      if (!split_graph(in, graph, made.initializers)) return std::nullopt;
      put_bytes(made.rest, tag, graph);
    } else if (!copy_field(in, tag, made.rest)) {
      return std::nullopt;
    }
  }
  if (!in.ConsumedEntireMessage() || in.BytesUntilLimit() != 0 || !file.check()) return std::nullopt;
  in.PopLimit(whole);
  return made;
}

}  // namespace hw::interop
