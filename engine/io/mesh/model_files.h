// What Assimp opens for a model: files within reach, some with other text than they hold.
#pragma once

#include <assimp/DefaultIOSystem.h>

#include <map>
#include <set>
#include <string>

#include "engine/io/file/reach.h"
#include "engine/io/mesh/mtl_options.h"

namespace hw {

/// What was found while a model was read.
struct ReadFiles {
  std::set<std::string> refused;  // absolute paths of files that are there and may not be read
  MtlMaterials mtl;               // of an .obj
};

/// Opens for Assimp what a model refers to (materials, buffers, other models), within reach. Materials of an .obj come
/// without the options of their textures, which go into `read`.
class ModelFiles : public Assimp::DefaultIOSystem {
 public:
  /// All three must outlive it. `instead`: texts that stand for files, by path as Assimp is given it.
  ModelFiles(const Reach& reach, std::map<std::string, std::string> instead, ReadFiles& read)
      : reach_(reach), instead_(std::move(instead)), read_(read) {}
  bool Exists(const char* file) const override { return may_read(file) && DefaultIOSystem::Exists(file); }
  Assimp::IOStream* Open(const char* file, const char* mode) override;

 private:
  bool may_read(const char* file) const;
  const Reach& reach_;
  std::map<std::string, std::string> instead_;
  ReadFiles& read_;
};

}  // namespace hw
