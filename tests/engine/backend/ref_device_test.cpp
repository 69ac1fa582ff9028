// The ref device: states, errors, random ops, surface sampling.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/backend/host_states.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/kernels/surface_sampler.h"
#include "tests/engine/program_runner.h"

namespace hw {
namespace {

TEST(Devices, are_listed_and_made_by_id) {
  for (const std::string& id : device_ids()) {
    const auto device = make_device(id);
    ASSERT_TRUE(device) << id;
    EXPECT_EQ((*device)->id(), id);
  }
  const auto none = make_device("abacus");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::bad_usage);
  EXPECT_NE(none.error().text().find("ref"), std::string::npos);
}

TEST(RefDevice, supports_what_can_be_stored) {
  const auto device = *make_device("ref");
  const DType f8[] = {DType::f8e4m3, DType::f8e4m3, DType::f8e4m3}, tf32[] = {DType::tf32, DType::tf32};
  EXPECT_TRUE(device->supports(Op::add, f8));
  EXPECT_FALSE(device->supports(Op::relu, tf32));
}

TEST(States, start_from_philox_and_views_from_their_masters) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("n");
  b.param("w", DType::f16, {3, 3}, {Init::Kind::uniform, 0.5, 42});
  b.param("c", DType::f64, {2}, {Init::Kind::constant, 7, 0});
  b.state("m", DType::f32, {2});
  test::Runner r(program, "ref", 11);
  const std::vector<double> w = r.states->read("n.w.master").to_f64();
  for (size_t e = 0; e < w.size(); ++e) {
    const float u = uniform01(philox_block(11, 42, 0, e / 4)[e % 4]);
    EXPECT_EQ(w[e], (2.0f * u - 1.0f) * 0.5f);
  }
  EXPECT_EQ(r.states->read("n.w").to_f64(), r.states->read("n.w.master").to(DType::f16).to_f64());
  EXPECT_EQ(r.states->read("n.c").to_f64(), (std::vector<double>{7, 7}));
  EXPECT_EQ(r.states->read("m").to_f64(), (std::vector<double>{0, 0}));
}

TEST(States, keep_what_fits_and_report_what_is_new) {
  const auto device = *make_device("ref");
  Program first, second;
  OpBuilder a(first), b(second);
  a.param("same", DType::f16, {4}, {});
  a.param("grows", DType::f32, {4}, {});
  b.param("same", DType::f16, {4}, {});
  b.param("grows", DType::f32, {5}, {});
  b.param("new", DType::f32, {1}, {});
  auto states = *device->prepare_states(first, nullptr, 1, nullptr);
  const Tensor ones = Tensor::from_f64(DType::f32, {4}, std::vector<double>(4, 1.0));
  ASSERT_TRUE(states->write("same.master", ones));
  std::vector<std::string> made;
  states = *device->prepare_states(second, states, 1, &made);
  EXPECT_EQ(made, (std::vector<std::string>{"grows", "new"}));
  EXPECT_EQ(states->read("same.master").to_f64(), ones.to_f64());
}

TEST(States, refuse_other_sizes_dtypes_and_names) {
  HostStates states;
  states.put("w", Tensor::zeros(DType::f16, {2}));
  for (const Status& s :
       {states.write("w", Tensor::zeros(DType::f16, {3})), states.write("w", Tensor::zeros(DType::f32, {2})),
        states.write("v", Tensor::zeros(DType::f16, {2}))}) {
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().code, codes::weights_mismatch);
  }
  Tensor copy = states.read("w");
  copy.as<uint16_t>()[0] = 1;
  EXPECT_EQ(states.read("w").as<uint16_t>()[0], 0) << "read gives a copy";
}

TEST(RefDevice, inputs_are_checked_and_must_be_written) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val x = b.input("x", DType::f16, {2}), y = b.scale(x, 3);
  test::Runner r(program);
  EXPECT_EQ(r.executable->run(r.step).error().code, codes::missing_input);
  EXPECT_EQ(r.executable->write_input("x", Tensor::zeros(DType::f32, {2})).error().code, codes::dtype_mismatch);
  EXPECT_EQ(r.executable->write_input("x", Tensor::zeros(DType::f16, {3})).error().code, codes::size_mismatch);
  EXPECT_EQ(r.executable->write_input("q", Tensor::zeros(DType::f16, {2})).error().code, codes::unknown_socket);
  ASSERT_TRUE(r.executable->write_input("x", Tensor::from_f64(DType::f16, {2}, std::vector<double>{1, 2})));
  r.run();
  EXPECT_EQ(r.read(y), (std::vector<double>{3, 6}));
  EXPECT_EQ(r.executable->kernel_info(0).storage, DType::f16);
  EXPECT_EQ(r.executable->kernel_info(0).compute, DType::f64);
  EXPECT_EQ(r.executable->temp_bytes(), 4u);
  EXPECT_GT(r.executable->timings()[0], 0);
  r.executable->reset_timings();
  EXPECT_EQ(r.executable->timings()[0], 0);
  const std::atomic<bool> cancel{true};
  r.step.cancel = &cancel;
  EXPECT_EQ(r.executable->run(r.step).error().code, codes::cancelled);
}

TEST(RefDevice, rounds_once_on_store_and_keeps_nan) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val x = b.input("x", DType::f16, {3}), sum = b.sum_to(x, {}, DType::f16);
  const Val clamped = b.clamp(x, 0, 1), positive = b.relu(x);
  test::Runner r(program);
  // 2048 + 0.6 + 0.6: f16 steps of 2 would lose both if each sum were rounded.
  ASSERT_TRUE(r.executable->write_input("x", Tensor::from_f64(DType::f16, {3}, std::vector<double>{2048, 0.6, 0.6})));
  r.run();
  EXPECT_EQ(r.read(sum)[0], 2050);
  ASSERT_TRUE(r.executable->write_input("x", Tensor::from_f64(DType::f16, {3}, std::vector<double>{NAN, -1, 2})));
  r.run();
  EXPECT_TRUE(std::isnan(r.read(clamped)[0]));
  EXPECT_TRUE(std::isnan(r.read(positive)[0]));
  EXPECT_EQ(r.read(clamped)[1], 0);
  EXPECT_EQ(r.read(clamped)[2], 1);
}

TEST(Dropout, is_a_function_of_seed_stream_step_and_element) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("drop");
  const int64_t n = 40000;
  const Val x = b.constant(Tensor::from_f64(DType::f32, {n}, std::vector<double>(size_t(n), 1.0)));
  const Val y = b.dropout(x, 0.25);
  test::Runner r(program, "ref", 3);
  r.step.step = 5;
  r.run();
  const std::vector<double> first = r.read(y);
  size_t kept = 0;
  for (size_t e = 0; e < first.size(); ++e) {
    const float u = uniform01(philox_block(3, stream_of("drop"), 5, e / 4)[e % 4]);
    ASSERT_EQ(first[e], u < 0.75f ? double(float(1 / 0.75)) : 0.0) << e;
    kept += first[e] != 0;
  }
  EXPECT_NEAR(double(kept) / double(n), 0.75, 0.01);
  r.step.step = 6;
  r.run();
  EXPECT_NE(r.read(y), first);
}

// Two triangles of areas 1 and 3 in the plane z = 0; the second carries a 2×2 texture.
std::shared_ptr<const Mesh> two_triangles() {
  auto image = std::make_shared<Image>();
  *image = {2, 2, {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255}};
  auto mesh = std::make_shared<Mesh>();
  mesh->name = "two";
  mesh->positions = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {10, 0, 0}, {12, 0, 0}, {10, 3, 0}};
  mesh->normals.assign(6, {0, 0, 1});
  mesh->uvs = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0}, {0, 1}};
  mesh->triangles = {{0, 1, 2}, {3, 4, 5}};
  mesh->parts = {{0, 1, nullptr, {0.5f, 0.25f, 1, 1}}, {1, 1, image, {1, 1, 0.5f, 1}}};
  return mesh;
}

TEST(SampleSurface, is_uniform_over_area_and_carries_attributes) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("mesh");
  const auto s = b.sample_surface(two_triangles(), 20000);
  test::Runner r(program);
  r.run();
  const auto position = r.read(s.position), normal = r.read(s.normal), uv = r.read(s.uv), colour = r.read(s.colour);
  size_t second = 0;
  double x = 0, y = 0;
  for (size_t i = 0; i < 20000; ++i) {
    EXPECT_EQ(normal[i * 3 + 2], 1);
    if (position[i * 3] < 5) {
      ASSERT_EQ(colour[i * 3 + 1], 0.25);
      continue;
    }
    ++second;
    x += position[i * 3] - 10;
    y += position[i * 3 + 1];
    ASSERT_NEAR(uv[i * 2], (position[i * 3] - 10) / 2, 1e-5);
    ASSERT_NEAR(uv[i * 2 + 1], position[i * 3 + 1] / 3, 1e-5);
  }
  EXPECT_NEAR(double(second) / 20000, 0.75, 0.01);
  EXPECT_NEAR(x / double(second), 2.0 / 3, 0.02);  // the centroid
  EXPECT_NEAR(y / double(second), 1, 0.03);
}

// The body that the cpu device uses, against ref's own code, point by point.
void expect_body_agrees_with_ref(const std::shared_ptr<const Mesh>& mesh) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("mesh");
  const auto s = b.sample_surface(mesh, 2000);
  test::Runner r(program, "ref", 9);
  r.run();
  const auto position = r.read(s.position), uv = r.read(s.uv), colour = r.read(s.colour);
  const auto table = *kernels::make_surface_table(*mesh);
  const kernels::MeshArrays arrays = kernels::arrays_of(*mesh, table);
  for (size_t i = 0; i < 2000; ++i) {
    const Philox4 numbers = philox_block(9, stream_of("mesh"), 0, i);
    const uint32_t triangle = kernels::pick_triangle(arrays, numbers[0], numbers[1]);
    const auto p =
        kernels::sample_triangle(arrays, kernels::part_of(*mesh, table, triangle), triangle, numbers[2], numbers[3]);
    for (size_t d = 0; d < 3; ++d) {
      ASSERT_NEAR(p.position[d], position[i * 3 + d], 1e-5);
      ASSERT_NEAR(p.colour[d], colour[i * 3 + d], 1e-5);
    }
    for (size_t d = 0; d < 2; ++d) ASSERT_NEAR(p.uv[d], uv[i * 2 + d], 1e-6);
  }
}

TEST(SampleSurface, shared_body_agrees_with_ref) {
  for (const Wrap u : {Wrap::repeat, Wrap::mirror, Wrap::clamp})
    for (const Wrap v : {Wrap::repeat, Wrap::mirror, Wrap::clamp}) {
      auto mesh = std::make_shared<Mesh>(*two_triangles());
      mesh->colours = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0.5f}, {0.25f, 1, 1}, {1, 1, 1}};
      for (auto& uv : mesh->uvs) uv = {uv[0] * 3 - 1, uv[1] * 5 - 2};
      for (MeshPart& part : mesh->parts) {
        part.wrap_u = u;
        part.wrap_v = v;
      }
      SCOPED_TRACE(static_cast<int>(u) * 3 + static_cast<int>(v));
      expect_body_agrees_with_ref(mesh);
    }
}

TEST(SampleTexture, texel_centres_rows_from_the_top_and_repeat) {
  const auto mesh = two_triangles();
  const Image& image = *mesh->parts[1].texture;
  kernels::PartArrays part{image.rgba.data(), image.width, image.height};
  float c[3];
  const auto at = [&](float u, float v) {
    kernels::sample_texture(part, u, v, c);
    return std::vector<float>{c[0], c[1], c[2]};
  };
  EXPECT_EQ(at(0.25f, 0.75f), (std::vector<float>{1, 0, 0}));  // top left: v is up
  EXPECT_EQ(at(0.75f, 0.75f), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(at(0.25f, 0.25f), (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(at(0.75f, 0.25f), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(at(1.25f, -0.25f), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(at(0.5f, 0.5f), (std::vector<float>{0.5f, 0.5f, 0.5f}));
  EXPECT_EQ(at(0.0f, 0.75f), (std::vector<float>{0.5f, 0.5f, 0}));  // wraps to the right column
  at(NAN, NAN);                                                     // must stay inside the image
  at(1e30f, -1e30f);
  part.wrap_u = Wrap::clamp;
  EXPECT_EQ(at(1.25f, 0.75f), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(at(-7, 0.75f), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(at(0.0f, 0.75f), (std::vector<float>{1, 0, 0}));
  part.wrap_u = Wrap::mirror;
  EXPECT_EQ(at(1.25f, 0.75f), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(at(1.75f, 0.75f), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(at(2.25f, 0.75f), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(at(-0.25f, 0.75f), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(at(1.0f, 0.75f), (std::vector<float>{0, 1, 0})) << "no seam at the mirror";
  part.wrap_v = Wrap::clamp;
  EXPECT_EQ(at(0.25f, 9), (std::vector<float>{1, 0, 0})) << "v is up";
  for (const Wrap wrap : {Wrap::mirror, Wrap::clamp}) {
    part.wrap_u = part.wrap_v = wrap;
    at(NAN, NAN);
    at(1e30f, -1e30f);
    at(INFINITY, -INFINITY);
  }
}

TEST(SampleSurface, triangles_without_area_are_never_picked) {
  auto mesh = std::make_shared<Mesh>(*two_triangles());
  mesh->triangles = {{0, 0, 0}, {0, 1, 2}, {1, 1, 2}, {3, 4, 5}, {3, 3, 5}};
  const auto table = *kernels::make_surface_table(*mesh);
  for (const uint32_t r : {0u, 1u, 0x3FFFFFFFu, 0x40000000u, 0x80000000u, 0xFFFFFFFFu}) {
    const uint32_t triangle = kernels::pick_triangle(table, r, r);
    EXPECT_TRUE(triangle == 1 || triangle == 3) << r << ": " << triangle;
  }
  EXPECT_EQ(kernels::pick_triangle(table, 0xFFFFFFFF, 0xFFFFFFFF), 3u);
}

TEST(SampleSurface, a_mesh_without_area_is_refused) {
  auto mesh = std::make_shared<Mesh>(*two_triangles());
  mesh->triangles = {{0, 1, 1}};
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("flat");
  b.sample_surface(mesh, 5);
  const auto device = *make_device("ref");
  const auto compiled = device->compile(program, nullptr);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, codes::asset_lacks);
  EXPECT_EQ(compiled.error().where, "flat");
}

TEST(States, a_view_and_a_master_of_one_dtype_are_two) {
  Program program;
  OpBuilder b(program);
  const Val view = b.state("w", DType::f32, {2}), master = b.state("w.master", DType::f32, {2});
  program.params.push_back({"w", view.id, master.id, {Init::Kind::constant, 3, 0}, true});
  const auto states = prepare_host_states(program, nullptr, 0, nullptr);
  ASSERT_TRUE(states->write("w.master", Tensor::from_f64(DType::f32, {2}, {{5, 6}})));
  EXPECT_EQ(states->read("w").to_f64(), (std::vector<double>{3, 3}));
}

}  // namespace
}  // namespace hw
