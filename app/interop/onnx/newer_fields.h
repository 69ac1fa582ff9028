// Fields of ONNX's messages that the schema may be too old to know: it keeps them as bytes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/interop/onnx/proto.h"

namespace hw::interop {

/// What field `number` of a message has, which is a string, bytes or messages: each as its bytes, in order.
std::vector<std::string> newer_field(const google::protobuf::Message& message, int number);
/// Numbers of the fields that the schema does not know.
std::set<int> unknown_fields(const google::protobuf::Message& message);

}  // namespace hw::interop
