// Opening graphs with their weights and assets, weights in each format, models of other tools.
#include "app/interop/onnx/group_scopes.h"
#include "app/interop/onnx/import_graph.h"
#include "engine/core/same_bits.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/asset/assets.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "engine/io/file/zip.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/npz.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/engine/idx_files.h"
#include "tests/engine/io_temp.h"
#include "tests/failures/graphs.h"
#include "tests/failures/operations.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

/// A graph, its weights, its picture, its data set. A second look at the same assets must find them: no failure that
/// passes is kept.
class OpensGraph : public Trial {
 public:
  using Trial::Trial;
  bool changes_files() const override { return false; }
  void prepare() override {
    write_picture(file("p.png"));
    ASSERT_TRUE(save_graph(picture_graph(), file("g.halfwire")));
    ASSERT_TRUE(save_weights({some_weights(), {{kChecksum, ""}}}, file("g.safetensors")));
    fs::create_directory(file("set"));
    write_idx_set(file("set"), {9, 3}, {2, 3}, 3);
    const fs::path images = file("set/train-images-idx3-ubyte");
    write_bytes(images.string() + ".gz", gzipped(read_bytes(images)));
    fs::remove(images);
    assets_ = std::make_unique<FileAssets>(file("g.halfwire").parent_path());
  }
  Status run() override {
    return guarded([&] { return open(); });
  }
  void check(const Status& status) override {
    if (!status) {
      const Status again = run();
      ASSERT_TRUE(again) << "it fails even when nothing does: " << again.error().text();
    }
    EXPECT_EQ(graph_, picture_graph());
    expect_same(weights_, some_weights());
  }

 private:
  Status open() {
    HW_TRY(graph_, read_graph(file("g.halfwire")));
    HW_TRY(WeightsFile weights, read_weights(file("g.safetensors")));
    weights_ = std::move(weights.tensors);
    HW_TRY(const auto picture, assets_->image("p.png"));
    EXPECT_EQ(picture->rgba, picture_pixels().rgba);
    HW_TRY(const auto data, assets_->dataset("set", {{2, 3}, 3}));
    HW_CHECK(data->train.load());
    EXPECT_EQ(data->train.x.dims(), (Dims{9, 2, 3}));
    EXPECT_EQ(data->train.x.as<uint8_t>()[7], idx_byte(7));
    return ok();
  }
  std::unique_ptr<FileAssets> assets_;
  Graph graph_;
  Weights weights_;
};

/// A model, which a child process reads, with its texture.
class OpensMesh : public Trial {
 public:
  using Trial::Trial;
  bool changes_files() const override { return false; }
  void prepare() override {
    write_bytes(file("m.obj"),
                "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n");
    write_bytes(file("m.mtl"), "newmtl a\nKd 1 1 1\n");
    assets_ = std::make_unique<FileAssets>(file("m.obj").parent_path());
  }
  Status run() override {
    return guarded([&]() -> Status {
      HW_TRY(mesh_, assets_->mesh("m.obj"));
      return ok();
    });
  }
  void check(const Status& status) override {
    if (!status) {
      const Status again = run();
      ASSERT_TRUE(again) << "it fails even when nothing does: " << again.error().text();
    }
    EXPECT_EQ(mesh_->triangles.size(), 1u);
    EXPECT_EQ(mesh_->positions.at(1)[0], 1);
  }

 private:
  std::unique_ptr<FileAssets> assets_;
  std::shared_ptr<const Mesh> mesh_;
};

/// Weights of a file, all of them or none.
class ReadsWeights : public Trial {
 public:
  using Trial::Trial;
  bool changes_files() const override { return false; }
  Status run() override {
    return guarded([&]() -> Status {
      HW_TRY(read_, read());
      return ok();
    });
  }
  void check(const Status& status) override {
    if (status)
      expect_same(read_, wanted());
    else
      EXPECT_TRUE(read_.empty());
  }
  virtual Result<Weights> read() = 0;
  virtual Weights wanted() const { return some_weights(); }

 private:
  Weights read_;
};

class ReadsSafetensors : public ReadsWeights {
 public:
  using ReadsWeights::ReadsWeights;
  void prepare() override { ASSERT_TRUE(save_weights({some_weights(), {{kChecksum, ""}}}, file("w.safetensors"))); }
  Result<Weights> read() override {
    HW_TRY(WeightsFile read, read_weights(file("w.safetensors")));
    HW_CHECK(copy_mapped(read.tensors, file("w.safetensors")));
    return std::move(read.tensors);
  }
};

class ReadsShards : public ReadsWeights {
 public:
  using ReadsWeights::ReadsWeights;
  void prepare() override {
    std::string map;
    for (const auto& [name, tensor] : some_weights()) {
      ASSERT_TRUE(save_weights({{{name, tensor}}, {}}, file(name + ".safetensors")));
      map += (map.empty() ? "\"" : ", \"") + name + R"(": ")" + name + R"(.safetensors")";
    }
    write_bytes(file("w.safetensors.index.json"), R"({"weight_map": {)" + map + "}}");
  }
  Result<Weights> read() override {
    HW_TRY(WeightsFile read, read_weights(file("w.safetensors.index.json")));
    return std::move(read.tensors);
  }
};

class ReadsNpz : public ReadsWeights {
 public:
  using ReadsWeights::ReadsWeights;
  void prepare() override {
    std::vector<ZipEntry> entries;
    for (const auto& [name, tensor] : some_weights()) {
      ASSERT_TRUE(save_npy(tensor, file("one.npy")));
      entries.push_back({name + ".npy", read_bytes(file("one.npy"))});
    }
    ASSERT_TRUE(save_zip(entries, file("w.npz")));
  }
  Result<Weights> read() override { return read_npz(file("w.npz")); }
};

class ReadsNpy : public ReadsWeights {
 public:
  using ReadsWeights::ReadsWeights;
  void prepare() override {
    for (const auto& [name, tensor] : some_weights()) ASSERT_TRUE(save_npy(tensor, file(name + ".npy")));
  }
  Result<Weights> read() override {
    Weights all;
    for (const auto& [name, tensor] : some_weights()) {
      HW_TRY(all[name], read_npy(file(name + ".npy")));
    }
    return all;
  }
};

class ReadsCheckpoint : public ReadsWeights {
 public:
  using ReadsWeights::ReadsWeights;
  void prepare() override {
    fs::create_directory(file("out"));
    for (const uint64_t step : {1, 3})
      ASSERT_TRUE(save_checkpoint(some_checkpoint(step), file("out") / checkpoint_name(step)));
  }
  Result<Weights> read() override {
    HW_TRY(const fs::path newest, newest_checkpoint(file("out")));
    HW_TRY(Checkpoint read, read_checkpoint(newest));
    EXPECT_EQ(read.step, 3u);
    EXPECT_EQ(read.losses, some_checkpoint(3).losses);
    EXPECT_EQ(read.graph, some_checkpoint(3).graph);
    return std::move(read.states);
  }
  Weights wanted() const override { return some_checkpoint(3).states; }
};

/// A model of ONNX becomes a graph's file and weights beside it: both, or what is there is whole and it is said.
class ImportsModel : public Trial {
 public:
  using Trial::Trial;
  void prepare() override {
    ASSERT_TRUE(interop::write_onnx(some_model(), file("m.onnx")));
    ASSERT_TRUE(import(file("expected.halfwire")));
    graph_ = {file("m.halfwire"), "", read_bytes(file("expected.halfwire"))};
    weights_ = {file("m.safetensors"), "", read_bytes(file("expected.safetensors"))};
  }
  Status run() override {
    return guarded([&] { return import(file("m.halfwire")); });
  }
  void check(const Status& status) override {
    check_survival();
    graph_.check(static_cast<bool>(status));
    weights_.check(static_cast<bool>(status));
    EXPECT_TRUE(leftovers(file("m.onnx").parent_path()).empty());
  }
  void check_survival() override {
    graph_.check(false);
    weights_.check(false);
  }

 private:
  Status import(const fs::path& out) const {
    HW_TRY(const interop::OnnxModel model, interop::read_onnx(file("m.onnx")));
    HW_TRY(interop::ImportedModel imported, interop::import_graph(model));
    imported = interop::with_groups(std::move(imported));
    HW_CHECK(save_graph(imported.graph, out));
    return save_weights({with_foreign_names(flatten(imported.graph), imported.weights), {{kChecksum, ""}}},
                        fs::path(out).replace_extension(".safetensors"));
  }
  OldOrNew graph_, weights_;
};

}  // namespace

std::vector<Operation> reading_operations() {
  return {operation<OpensGraph>("open_graph"),
          operation<OpensMesh>("open_mesh"),
          operation<ReadsSafetensors>("read_safetensors"),
          operation<ReadsShards>("read_shards"),
          operation<ReadsNpz>("read_npz"),
          operation<ReadsNpy>("read_npy"),
          operation<ReadsCheckpoint>("read_checkpoint"),
          operation<ImportsModel>("import_onnx")};
}

}  // namespace hw::test
