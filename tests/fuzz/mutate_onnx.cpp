#include "tests/fuzz/mutate_onnx.h"

#include <google/protobuf/descriptor.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <limits>
#include <memory>

namespace hw::fuzz {
namespace {

namespace fs = std::filesystem;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr size_t kMostBytes = size_t{4} << 20;  // of a model that grows
constexpr int kMostCopies = 2000;

int64_t whole(Choices& c) {
  constexpr std::array<int64_t, 18> far{
      -1,        -2,        255,       256,       65536,     1 << 24,   1 << 28,       1u << 31, (1ll << 31) - 1,
      1ll << 32, 1ll << 40, 1ll << 53, 1ll << 62, INT64_MAX, INT64_MIN, INT64_MIN + 1, 1000000,  -1000};
  return c.one_in(2) ? static_cast<int64_t>(c.below(26)) : far[c.below(far.size())];
}

double real(Choices& c) {
  using Limits = std::numeric_limits<float>;
  constexpr std::array<float, 10> far{
      0,    -0.0f,  Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 1e38f, -1, Limits::denorm_min(),
      0.5f, 0x1p24f};
  return far[c.below(far.size())];
}

/// Names that stand in a model, and all messages in it.
struct Parts {
  std::vector<Message*> messages;
  std::vector<std::string> texts;

  void add(Message& m) {
    messages.push_back(&m);
    const auto* reflection = m.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(m, &fields);
    for (const FieldDescriptor* f : fields) {
      const bool is_message = f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      if (f->type() == FieldDescriptor::TYPE_STRING)
        texts.push_back(f->is_repeated() ? reflection->GetRepeatedString(m, f, 0) : reflection->GetString(m, f));
      if (is_message && !f->is_repeated()) add(*reflection->MutableMessage(&m, f));
      for (int i = 0; is_message && f->is_repeated() && i < reflection->FieldSize(m, f); ++i)
        add(*reflection->MutableRepeatedMessage(&m, f, i));
    }
  }
  /// A copy of one of this kind; null: there is none.
  std::unique_ptr<Message> copy_of(Choices& c, const google::protobuf::Descriptor* kind) const {
    std::vector<const Message*> all;
    for (const Message* m : messages)
      if (m->GetDescriptor() == kind) all.push_back(m);
    if (all.empty()) return nullptr;
    const Message& from = *all[c.below(all.size())];
    std::unique_ptr<Message> copy(from.New());
    copy->CopyFrom(from);
    return copy;
  }
};

std::string text(Choices& c, const Parts& parts) {
  constexpr std::array<const char*, 12> far{
      "",   "ai.onnx", "com.microsoft", "../../etc/passwd", "m.onnx", "0", "\xff\xfe", "/", "18446744073709551615",
      "-1", "step:",   "bad name.y"};
  if (c.one_in(30)) return std::string(100'000, 'n');
  return c.one_in(5) || parts.texts.empty() ? far[c.below(far.size())] : parts.texts[c.below(parts.texts.size())];
}

/// A field of one value, or element `at` of one with several.
void set_value(Choices& c, Message& m, const FieldDescriptor* f, int at, const Parts& parts) {
  const auto* r = m.GetReflection();
  const bool many = f->is_repeated();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      return many ? r->SetRepeatedInt64(&m, f, at, whole(c)) : r->SetInt64(&m, f, whole(c));
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto value = static_cast<int32_t>(whole(c));
      return many ? r->SetRepeatedInt32(&m, f, at, value) : r->SetInt32(&m, f, value);
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      const auto value = static_cast<uint64_t>(whole(c));
      return many ? r->SetRepeatedUInt64(&m, f, at, value) : r->SetUInt64(&m, f, value);
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const auto value = static_cast<float>(real(c));
      return many ? r->SetRepeatedFloat(&m, f, at, value) : r->SetFloat(&m, f, value);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return many ? r->SetRepeatedDouble(&m, f, at, real(c)) : r->SetDouble(&m, f, real(c));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = f->enum_type();
      const auto* value = type->value(static_cast<int>(c.below(static_cast<uint64_t>(type->value_count()))));
      return many ? r->SetRepeatedEnum(&m, f, at, value) : r->SetEnum(&m, f, value);
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string value = many ? r->GetRepeatedString(m, f, at) : r->GetString(m, f);
      if (f->type() == FieldDescriptor::TYPE_BYTES)
        damage(c, value);
      else
        value = text(c, parts);
      return many ? r->SetRepeatedString(&m, f, at, value) : r->SetString(&m, f, value);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const auto other = parts.copy_of(c, f->message_type());  // before another of a oneof is gone
      Message& to = many ? *r->MutableRepeatedMessage(&m, f, at) : *r->MutableMessage(&m, f);
      return other ? to.CopyFrom(*other) : to.Clear();
    }
    default:
      return;
  }
}

void add_any_value(Choices& c, Message& m, const FieldDescriptor* f, const Parts& parts) {
  const auto* r = m.GetReflection();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      return r->AddInt64(&m, f, whole(c));
    case FieldDescriptor::CPPTYPE_INT32:
      return r->AddInt32(&m, f, static_cast<int32_t>(whole(c)));
    case FieldDescriptor::CPPTYPE_UINT64:
      return r->AddUInt64(&m, f, static_cast<uint64_t>(whole(c)));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return r->AddFloat(&m, f, static_cast<float>(real(c)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return r->AddDouble(&m, f, real(c));
    case FieldDescriptor::CPPTYPE_STRING:
      return r->AddString(&m, f, text(c, parts));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      r->AddMessage(&m, f);
      return set_value(c, m, f, r->FieldSize(m, f) - 1, parts);
    default:
      return;
  }
}

void change_many(Choices& c, Message& m, const FieldDescriptor* f, const Parts& parts) {
  const auto* r = m.GetReflection();
  const int size = r->FieldSize(m, f);
  const auto any = [&] { return static_cast<int>(c.below(static_cast<uint64_t>(size))); };
  const uint64_t how = size == 0 ? 0 : c.below(8);
  if (how == 0) return add_any_value(c, m, f, parts);
  if (how == 1) return r->SwapElements(&m, f, any(), any());
  if (how == 2) {
    r->SwapElements(&m, f, any(), size - 1);
    return r->RemoveLast(&m, f);
  }
  if (how == 3 && c.one_in(3)) return r->ClearField(&m, f);
  if (how == 3 && c.one_in(8)) {
    const uint64_t copies = c.below(kMostCopies);
    for (uint64_t i = 0; i < copies && m.ByteSizeLong() < kMostBytes / 4; ++i) add_any_value(c, m, f, parts);
    return;
  }
  set_value(c, m, f, any(), parts);
}

/// Where the length of a field stands, and how many bytes it takes; of a field in it, now and then. Nothing: there is
/// none.
struct LengthAt {
  size_t at = 0, size = 0;
};

bool read_varint(std::string_view bytes, size_t& at, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

LengthAt find_length(Choices& c, std::string_view bytes) {
  LengthAt found;
  for (size_t begin = 0, end = bytes.size(); begin < end;) {
    std::vector<std::array<size_t, 3>> fields;  // the length's place, the content's, its end
    for (size_t at = begin; at < end;) {
      uint64_t tag = 0, length = 0;
      if (!read_varint(bytes.substr(0, end), at, tag)) break;
      const size_t place = at;
      if ((tag & 7) == 2) {
        if (!read_varint(bytes.substr(0, end), at, length) || length > end - at) break;
        fields.push_back({place, at, at + length});
        at += length;
      } else if ((tag & 7) == 0) {
        if (!read_varint(bytes.substr(0, end), at, length)) break;
      } else {
        at += (tag & 7) == 1 ? 8 : 4;
      }
    }
    if (fields.empty()) break;
    const auto& [place, content, stop] = fields[c.below(fields.size())];
    found = {place, content - place};
    if (c.one_in(4)) break;
    begin = content;
    end = stop;
  }
  return found;
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

void write_file(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// What becomes of a file beside the model.
void change_file(Choices& c, const fs::path& file, const std::string& bytes) {
  std::error_code ec;
  switch (c.below(9)) {
    case 0:
      return;
    case 1:
      return write_file(file, bytes.substr(0, c.below(bytes.size() + 1)));
    case 2:
      return write_file(file, bytes + bytes);
    case 3:
      return fs::create_symlink(c.one_in(2) ? "/etc/passwd" : "/dev/zero", file, ec);
    case 4:
      return fs::create_symlink(file.filename(), file, ec);  // to itself
    case 5:
      return fs::create_symlink("m.onnx", file, ec);
    case 6:
      fs::create_directory(file, ec);
      return;
    case 7:
      ::mkfifo(file.c_str(), 0600);
      return;
    default:
      write_file(file.string() + ".real", bytes);
      return fs::create_symlink(file.filename().string() + ".real", file, ec);
  }
}

}  // namespace

void change_message(Choices& c, Message& whole) {
  Parts parts;
  parts.add(whole);
  Message& m = *parts.messages[c.below(parts.messages.size())];
  const auto* reflection = m.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(m, &fields);
  const auto* type = m.GetDescriptor();
  const FieldDescriptor* f = fields.empty() || c.one_in(8)
                                 ? type->field(static_cast<int>(c.below(static_cast<uint64_t>(type->field_count()))))
                                 : fields[c.below(fields.size())];
  if (f->is_repeated()) return change_many(c, m, f, parts);
  if (c.one_in(6)) return reflection->ClearField(&m, f);
  set_value(c, m, f, 0, parts);
}

void change_bytes(Choices& c, std::string& bytes) {
  if (c.one_in(2)) return damage(c, bytes);
  const LengthAt length = find_length(c, bytes);
  if (length.size == 0) return damage(c, bytes);
  size_t at = length.at;
  uint64_t now = 0;
  read_varint(bytes, at, now);
  const std::array<uint64_t, 9> others{now + 1,          now - 1,    0,          now * 2, now / 2,
                                       (1ull << 31) - 1, 1ull << 31, 1ull << 32, ~0ull};
  bytes.replace(length.at, length.size, varint(others[c.below(others.size())]));
}

void write_unchanged(const OnnxSeed& seed, const fs::path& folder) {
  write_file(folder / "m.onnx", seed.model.SerializeAsString());
  for (const auto& [name, content] : seed.beside) write_file(folder / name, content);
}

void write_changed(Choices& c, const OnnxSeed& seed, const fs::path& folder) {
  onnx::ModelProto model = seed.model;
  for (uint64_t left = c.below(5); left > 0; --left) {
    const onnx::ModelProto before = model;
    change_message(c, model);
    if (model.ByteSizeLong() > kMostBytes) model = before;
  }
  std::string bytes = model.SerializePartialAsString();
  for (uint64_t left = c.one_in(3) ? 1 + c.below(3) : 0; left > 0; --left) change_bytes(c, bytes);
  write_file(folder / "m.onnx", bytes);
  for (const auto& [name, content] : seed.beside) {
    if (c.one_in(4))
      change_file(c, folder / name, content);
    else
      write_file(folder / name, content);
  }
}

}  // namespace hw::fuzz
