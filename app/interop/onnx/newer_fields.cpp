#include "app/interop/onnx/newer_fields.h"

#include <google/protobuf/unknown_field_set.h>

namespace hw::interop {

std::vector<std::string> newer_field(const google::protobuf::Message& message, int number) {
  using google::protobuf::FieldDescriptor;
  std::vector<std::string> values;
  const auto& reflection = *message.GetReflection();
  if (const FieldDescriptor* field = message.GetDescriptor()->FindFieldByNumber(number)) {
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : reflection.HasField(message, field);
    for (int i = 0; i < count; ++i) {
      if (field->is_repeated())
        values.push_back(is_message ? reflection.GetRepeatedMessage(message, field, i).SerializeAsString()
                                    : reflection.GetRepeatedString(message, field, i));
      else
        values.push_back(is_message ? reflection.GetMessage(message, field).SerializeAsString()
                                    : reflection.GetString(message, field));
    }
    return values;
  }
  const auto& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() == number &&
        unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      values.push_back(unknown.field(i).length_delimited());
  return values;
}

std::set<int> unknown_fields(const google::protobuf::Message& message) {
  std::set<int> numbers;
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) numbers.insert(unknown.field(i).number());
  return numbers;
}

}  // namespace hw::interop
