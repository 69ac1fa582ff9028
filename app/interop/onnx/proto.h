// The official schema of ONNX. For read_model.cpp and write_model.cpp alone.
#pragma once

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#include <onnx/onnx_pb.h>
