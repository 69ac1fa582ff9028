// Valid models of ONNX to be mutated, each with a part of the format or of the importer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/interop/onnx_files.h"

namespace hw::fuzz {

struct OnnxSeed {
  std::string name;
  onnx::ModelProto model;
  std::map<std::string, std::string> beside = {};  // files in the model's folder, by name: external data
};

/// All of them are read and imported as they are: fuzz_onnx tries this first.
std::vector<OnnxSeed> onnx_seeds();

}  // namespace hw::fuzz
