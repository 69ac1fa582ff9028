// Dataset: samples and labels from a folder.
#include "engine/node/node_type.h"

namespace hw::nodes::dataset_source {

static void declare(NodeDecl& d) {
  d.title("Dataset").category("Source").summary("Loads samples and labels, for training and testing, from a folder.");
  d.doc(
      "What the folder holds decides: IDX files as of MNIST (`train-images-idx3-ubyte`, `train-labels-idx1-ubyte`, "
      "`t10k-…`; plain or `.gz`), NumPy pairs (`x_train.npy`, `y_train.npy`, `x_test.npy`, `y_test.npy`), pictures "
      "(`train/CLASS/*.png`, `test/CLASS/*.png`, or `CLASS/*.png` for training alone), sounds (the same of `.wav`, "
      "`.flac`, `.ogg`), or text (`.txt`, UTF-8). `sample` gives the sizes of one sample, so that the graph can be "
      "checked before the files are read: [C, H, W] for pictures, [1, T] for sounds, [characters] for text. Arrays of "
      "other sizes are refused; picture files are scaled to it, grey where C is 1; sounds are cut or followed by "
      "silence. Bytes stand for value / 255 in [0, 1]; other numbers are taken as they are, and where one split holds "
      "bytes, those of the other must lie in [0, 1]. Pictures are turned as EXIF says, and 16 bits a channel stand for "
      "value / 65535; transparency is ignored. Labels are whole numbers from 0.\n\n"
      "A text is read character by character, line ends as one: each is a class, numbered in the order of its code "
      "point, and `classes` "
      "is how many different ones there may be. Files whose name begins with `test` are the test split; without one "
      "the last tenth of the text is. Use a Token Batch to draw from it.\n\n"
      "With `validation` above 0 the loss and the metrics are measured on that share of the training samples while the "
      "graph trains, and on the test split once, at the end: Train can then keep the best weights, and end early.\n\n"
      "`asset:NAME` is looked up beside the graph and in the asset folders; another path is relative to the graph "
      "file. A changed file is read again.");
  d.source("LeCun et al. 1998 (MNIST, IDX files); torchvision, `ImageFolder`");
  d.keywords(
      "data mnist idx npy numpy images folder classes labels load training test wav sound audio speech text corpus "
      "characters ImageFolder");
  d.path("path", "").labelled("Folder").docs("The folder, or one of the files in it.");
  d.vector("sample", {1, 28, 28}).docs("Sizes of one sample.");
  d.integer("classes", 10).docs("Labels are numbered from 0 to one less. 0: without labels.").range(0, 1'000'000);
  d.real("validation", 0)
      .docs(
          "Share of the training samples that is held out, so that training can be judged while it goes on: at random, "
          "always the same ones; of a text its end.")
      .range(0, 0.9);
  d.output("data").dataset();
}

static Dims sample_of(const Params& p) {
  Dims sample;
  for (const double size : p.vector("sample")) sample.push_back(static_cast<int64_t>(size));
  return sample;
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const std::vector<double>& sizes = a.params().vector("sample");
  double count = 1;
  bool whole = !sizes.empty() && sizes.size() <= 6;
  for (const double size : sizes) {
    whole = whole && size >= 1 && size <= 0x1p24 && size == static_cast<double>(static_cast<int64_t>(size));
    count *= size;
  }
  if (!whole || count > 0x1p28)
    return Error{codes::bad_parameter, "sample", "sizes are one to six whole numbers from 1, of 2^28 elements at most.",
                 "For example [1, 28, 28]."};
  if (a.params().text("path").empty())
    return Error{codes::bad_parameter, "path", "no folder is chosen yet.", "Choose the folder with the files."};
  Shape sample;
  for (const int64_t size : sample_of(a.params())) sample.push_back({"", size, ""});
  if (sample.rank() == 3)
    for (size_t i = 0; i < 3; ++i) sample[i].name = std::string(1, "CHW"[i]);
  if (sample.rank() == 1) sample[0].name = "C";
  return Shapes{{.kind = Kind::dataset, .shape = sample}};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const DatasetSpec spec{sample_of(a.params()), a.params().integer("classes"), a.params().real("validation")};
  auto data = a.assets().dataset(a.params().text("path"), spec);
  if (data) return {*data};
  b.fail(data.error());
  return {std::shared_ptr<const Dataset>()};
}

static Examples examples() {
  return {{.name = "pictures",
           .params = {{"path", std::string("asset:digits")}, {"sample", std::vector<double>{1, 4, 4}}},
           .no_gradient_because = "a data set has no gradient"}};
}

}  // namespace hw::nodes::dataset_source

HW_NODE(dataset_source)
