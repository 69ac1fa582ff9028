// Writing files, one at a time and several that belong together; holding a folder.
#include "app/interop/onnx/model.h"
#include "engine/core/codes.h"
#include "engine/io/checkpoint/checkpoint_writer.h"
#include "engine/io/file/folder_lock.h"
#include "engine/io/file/zip.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/media/image_file.h"
#include "engine/io/mesh/mesh_export.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/engine/io_temp.h"
#include "tests/failures/graphs.h"
#include "tests/failures/operations.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

/// One file takes the place of another.
class Saves : public Trial {
 public:
  using Trial::Trial;
  void prepare() override {
    fs::create_directory(file("in"));
    const fs::path target = file("in/file" + ending());
    ASSERT_TRUE(save(true, target));
    const std::string fresh = read_bytes(target);
    ASSERT_TRUE(save(false, target));
    file_ = {target, read_bytes(target), fresh};
    ASSERT_FALSE(file_.is_new());
  }
  Status run() override {
    return guarded([&] { return save(true, file("in/file" + ending())); });
  }
  void check(const Status& status) override {
    file_.check(static_cast<bool>(status));
    if (!status) {
      EXPECT_FALSE(file_.is_new()) << "it was saved: " << status.error().text();
    }
    EXPECT_TRUE(leftovers(file("in")).empty()) << leftovers(file("in")).front();
  }
  void check_survival() override { file_.check(false); }

 protected:
  virtual Status save(bool fresh, const fs::path& to) const = 0;
  virtual std::string ending() const { return ""; }

 private:
  OldOrNew file_;
};

class SavesGraph : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override { return save_graph(picture_graph(fresh ? 9 : 4), to); }
};

class SavesWeights : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override {
    return save_weights({some_weights(fresh), {{kChecksum, ""}}}, to);
  }
};

/// As a run goes on from the weights that it read: what is written is a map of the file that it takes the place of.
class SavesWeightsOverTheirMap : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override {
    if (!fs::exists(to) || !fresh) return save_weights({some_weights(), {{"word", fresh ? "new" : "old"}}}, to);
    HW_TRY(WeightsFile read, read_weights(to));
    read.metadata["word"] = "new";
    return save_weights(read, to);
  }
};

class SavesCheckpoint : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override {
    return save_checkpoint(some_checkpoint(fresh ? 9 : 4), to);
  }
};

class SavesPicture : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override {
    Image image = picture_pixels();
    image.rgba[0] = fresh ? 200 : 100;
    return save_png(image, to);
  }
};

class SavesArray : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override { return save_npy(some_weights(fresh).at("a"), to); }
};

class SavesZip : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override {
    const std::vector<ZipEntry> entries{{"a", fresh ? "new" : "old"}, {"b", "the same"}};
    return save_zip(entries, to);
  }
};

class SavesOnnx : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override {
    interop::OnnxModel model = some_model();
    model.graph.name = fresh ? "new" : "old";
    return interop::write_onnx(model, to);
  }
};

class SavesMesh : public Saves {
  using Saves::Saves;
  Status save(bool fresh, const fs::path& to) const override {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {fresh ? 2.0F : 1.0F, 0, 0}, {0, 1, 0}};
    mesh.normals.assign(3, {0, 0, 1});
    mesh.uvs = {{0, 0}, {1, 0}, {0, 1}};
    mesh.triangles = {{0, 1, 2}};
    mesh.parts.push_back({0, 1, nullptr, {1, 1, 1, 1}});
    return save_mesh(mesh, to);
  }
  std::string ending() const override { return ".glb"; }
};

/// Checkpoints of a run, of which the older ones go: whatever is there can be read, and something is.
class KeepsCheckpoints : public Trial {
 public:
  using Trial::Trial;
  void prepare() override {
    fs::create_directory(file("out"));
    ASSERT_TRUE(save_checkpoint(some_checkpoint(1), file("out") / checkpoint_name(1)));
  }
  Status run() override {
    return guarded([&]() -> Status {
      CheckpointWriter writer(file("out"), 1);
      for (uint64_t step = 2; step <= kLast; ++step)
        writer.write(std::make_shared<const Checkpoint>(some_checkpoint(step)));
      return writer.finish();
    });
  }
  void check(const Status& status) override {
    check_survival();
    const auto found = find_checkpoints(file("out"));
    if (status) {
      // The newest, and one more where it could not be seen that one of those is sound.
      constexpr size_t kKept = CheckpointWriter::kCheckpointsKept;
      ASSERT_GE(found.size(), kKept);
      EXPECT_LE(found.size(), kKept + 1);
      for (size_t k = 0; k < kKept; ++k) EXPECT_EQ(found[found.size() - 1 - k].step, kLast - k);
    }
    EXPECT_TRUE(leftovers(file("out")).empty());
  }
  void check_survival() override {
    const auto found = find_checkpoints(file("out"));
    ASSERT_FALSE(found.empty());
    for (const CheckpointPlace& place : found) {
      const auto read = read_checkpoint(place.file);
      ASSERT_TRUE(read) << read.error().text();
      expect_same(read->states, some_checkpoint(place.step).states);
    }
  }

 private:
  static constexpr uint64_t kLast = 4;
};

/// Another run's folder is refused, and never taken for an empty one.
class ChecksFolder : public Trial {
 public:
  using Trial::Trial;
  bool changes_files() const override { return false; }
  void prepare() override {
    fs::create_directory(file("out"));
    ASSERT_TRUE(save_checkpoint(some_checkpoint(7), file("out") / checkpoint_name(7)));
  }
  Status run() override {
    return guarded([&]() -> Status {
      const Status checked = check_checkpoint_folder(file("out"), 0);
      if (checked) return ADD_FAILURE() << "it is taken for an empty folder", ok();
      return checked.error().code == codes::file_unwritable ? ok() : checked;
    });
  }
  void check(const Status&) override {}
};

/// A folder is held by one, and free again as soon as that one is gone.
class HoldsFolder : public Trial {
 public:
  using Trial::Trial;
  void prepare() override { fs::create_directory(file("out")); }
  Status run() override {
    return guarded([&]() -> Status {
      HW_TRY(held_, FolderLock::take(file("out")));
      EXPECT_FALSE(FolderLock::take(file("out"))) << "it is held";
      return ok();
    });
  }
  void check(const Status& status) override {
    if (status || held_) {
      EXPECT_FALSE(FolderLock::take(file("out"))) << "it is held still, whatever became of who asked next";
    }
    held_.reset();
    EXPECT_TRUE(leftovers(file("out")).empty());
    const auto again = FolderLock::take(file("out"));
    EXPECT_TRUE(again) << again.error().text();
  }
  void check_survival() override { held_.reset(); }

 private:
  std::optional<FolderLock> held_;
};

}  // namespace

std::vector<Operation> saving_operations() {
  return {operation<SavesGraph>("save_graph"),
          operation<SavesWeights>("save_weights"),
          operation<SavesWeightsOverTheirMap>("save_mapped_weights"),
          operation<SavesCheckpoint>("save_checkpoint"),
          operation<SavesPicture>("save_png"),
          operation<SavesArray>("save_npy"),
          operation<SavesZip>("save_zip"),
          operation<SavesOnnx>("save_onnx"),
          operation<SavesMesh>("save_mesh"),
          operation<KeepsCheckpoints>("keep_checkpoints"),
          operation<ChecksFolder>("check_folder"),
          operation<HoldsFolder>("hold_folder")};
}

}  // namespace hw::test
