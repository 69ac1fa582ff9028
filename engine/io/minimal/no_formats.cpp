// Builds without Assimp, stb, libsndfile and zlib (HALFWIRE_IO=minimal): graphs, weights, arrays and text are read and
// written; pictures, sounds, models, idx files and bundles are refused.
#include "engine/core/codes.h"
#include "engine/io/dataset/dataset.h"
#include "engine/io/file/zip.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/media/image_file.h"
#include "engine/io/mesh/model_import.h"

namespace hw {

static Error refused(const char* code, const std::string& where, const char* what) {
  return {code, where, std::string("this build has no ") + what + ".", "Build with HALFWIRE_IO=full."};
}

Result<Image> load_image(const std::filesystem::path& file) {
  return refused(codes::asset_unreadable, file.string(), "pictures");
}
Result<std::string> encode_png(const Image&, const std::string& name) {
  return refused(codes::file_unwritable, name, "pictures");
}
Status save_png(const Image&, const std::filesystem::path& file) {
  return refused(codes::file_unwritable, file.string(), "pictures");
}
Result<Model> import_model(const std::filesystem::path& file, Reach, const std::function<void(uint64_t)>&) {
  return refused(codes::asset_unreadable, file.string(), "models");
}
Result<Tensor> read_idx(const std::filesystem::path& file) {
  return refused(codes::asset_unreadable, file.string(), "idx files");
}
Result<Dims> read_idx_header(const std::filesystem::path& file) {
  return refused(codes::asset_unreadable, file.string(), "idx files");
}
Result<DatasetSplit> open_sounds(const SplitFiles&, const DatasetSpec&, int64_t&) {
  return refused(codes::asset_unreadable, "", "sounds");
}
Status save_zip(std::span<const ZipEntry>, const std::filesystem::path& file) {
  return refused(codes::file_unwritable, file.string(), "bundles");
}

}  // namespace hw
