// What the rewriter makes of launches and PTX, wherever they are.
#include <lab/source/rewrite.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace {

using upsweep::lab::source::rewrite;

std::string call(std::string const& name, std::string const& shape, std::string const& kernel) {
  return "::upsweep::emulated::launch(" + name + ", ::upsweep::emulated::shape(" + shape +
         "), UPSWEEP_EMULATED_CALL(" + kernel + "))";
}
std::string call(std::string const& kernel, std::string const& shape) {
  return call('"' + kernel + '"', shape, kernel);
}
std::string in_function(std::string const& body) {
  return "void f() { " + body + " }\n";
}
void expect(std::string const& before, std::string const& after) {
  auto const done = rewrite(in_function(before));
  EXPECT_EQ(done.text, in_function(after));
  EXPECT_TRUE(done.findings.empty()) << done.findings[0].sentence;
}
/// The C++ for an asm statement, without our namespace and the braces around it.
std::string ptx(std::string const& statement) {
  std::string text = rewrite("__device__ void f() { " + statement + " }").text;
  for (std::string const noise : {"__device__ void f() { ", "::upsweep::emulated::ptx::"})
    for (std::size_t at = 0; (at = text.find(noise, at)) != std::string::npos;)
      text.erase(at, noise.size());
  auto const begin = text.find("do { { ");
  auto const end = text.find(" } } while (0)");
  return begin == 0 && end != std::string::npos ? text.substr(7, end - 7) : text;
}

}  // namespace

TEST(launches, become_calls_with_the_kernels_name_and_shape) {
  expect("k<<<1, 2>>>(x);", call("k", "1, 2") + "(x);");
  expect("k<<<1'000, 256>>>(x);", call("k", "1'000, 256") + "(x);");
  expect("k <<< 1 , 2 >>> (x);", call("k", " 1 , 2 ") + " (x);");
  expect("k << <1, 2 >> > (x);", call("k", "1, 2 ") + " (x);");
  expect("ns::k<float, 4><<<(n + 255) / 256, dim3(1, 2), b, s>>>(x);",
         call("ns::k<float, 4>", "(n + 255) / 256, dim3(1, 2), b, s") + "(x);");
  expect("return k<<<1, 2>>>();", "return " + call("k", "1, 2") + "();");
  expect("::k<<<1, 2>>>();", call("::k", "1, 2") + "();");
  expect("if (a) k<<<1, 2>>>(); else l<<<3, 4>>>();",
         "if (a) " + call("k", "1, 2") + "(); else " + call("l", "3, 4") + "();");
  expect("a<<<1, 2>>>(x), b<<<3, 4>>>(y);",
         call("a", "1, 2") + "(x), " + call("b", "3, 4") + "(y);");
}

TEST(launches, of_pointers_and_members_are_found) {
  for (std::string const kernel : {"(*pointer)", "table[i]", "object.kernel", "get<int>(3)->kernel",
                                   "this->kernel", "S<int>::template go<T>", "choose(a, b)"})
    expect("if (x) " + kernel + "<<<1, 2>>>(y);", "if (x) " + call(kernel, "1, 2") + "(y);");
}

TEST(launches, template_lists_may_hold_comparisons_and_end_in_three_brackets) {
  expect("k<(a>b), int><<<1, 2>>>();", call("k<(a>b), int>", "1, 2") + "();");
  expect("k<n<32><<<1, 2>>>();", call("k<n<32>", "1, 2") + "();");
  expect("k<4, n<32><<<1, 2>>>();", call("k<4, n<32>", "1, 2") + "();");
  expect("k<<<size<a<b>>>>>(x);", call("k", "size<a<b>>") + "(x);");
  expect("k<<<grid<V<V<int>>>(n), 128>>>(x);", call("k", "grid<V<V<int>>>(n), 128") + "(x);");
  expect("k<<<n < 256 ? 1 : 2, n > 5>>>(x);", call("k", "n < 256 ? 1 : 2, n > 5") + "(x);");
  expect("k<<<1, 2>>>(x); l<<<g<h<i>>>(3), 4>>>(y);",
         call("k", "1, 2") + "(x); " + call("l", "g<h<i>>>(3), 4") + "(y);");
}

TEST(declarations, have_their_alignment_first) {
  expect("__shared__ alignas(16) float x[4];", "alignas(16) __shared__ float x[4];");
  expect("static __shared__ alignas(A<4>) alignas(8) int x;",
         "alignas(A<4>) alignas(8) static __shared__ int x;");
  expect("__shared__ float x[4]; alignas(16) __shared__ int y;",
         "__shared__ float x[4]; alignas(16) __shared__ int y;");
}

TEST(launch_calls, keep_the_types_of_kernels) {
  expect("cudaLaunchKernel((void*)k<4>, g, b, (void**)a);",
         "cudaLaunchKernel(k<4>, g, b, (void**)a);");
  expect("cudaLaunchCooperativeKernel((const void *)k, (f)(g), b, a);",
         "cudaLaunchCooperativeKernel(k, (f)(g), b, a);");
  expect("cudaOccupancyMaxPotentialBlockSize(&g, &b, (void*)k, 0, 0);",
         "cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 0);");
  expect("cudaLaunchKernel(k, g, b, (void**)a); free((void*)k);",
         "cudaLaunchKernel(k, g, b, (void**)a); free((void*)k);");
}

TEST(launches, in_lambdas_macros_and_shapes_are_found) {
  expect("auto l = [=] { k<<<1, 2>>>(x); };", "auto l = [=] { " + call("k", "1, 2") + "(x); };");
  expect("CHECK(k<<<1, 2>>>(x));", "CHECK(" + call("k", "1, 2") + "(x));");
  expect("k<<<1, [] { l<<<3, 4>>>(); return 5; }()>>>(x);",
         call("k", "1, [] { " + call("l", "3, 4") + "(); return 5; }()") + "(x);");
  EXPECT_EQ(rewrite("#define L f<<<1, 2>>>()\n").text, "#define L " + call("f", "1, 2") + "()\n");
  EXPECT_EQ(rewrite("#define L(k, ...) k<<<__VA_ARGS__>>>\n").text,
            "#define L(k, ...) " + call("#k", "__VA_ARGS__", "k") + "\n");
  EXPECT_EQ(rewrite("#define L(T) k_##T<T, 4><<<g, \\\n  b>>>()\n").text,
            "#define L(T) " + call(R"("k_" #T "<" #T ", " "4" ">")", "g, \\\n  b", "k_##T<T, 4>") +
                "()\n");
}

TEST(launches, in_comments_and_literals_stay) {
  for (std::string const text :
       {"// k<<<1, 2>>>(x)\n", "/* k<<<1, 2>>>(x) */", "char const* s = \"k<<<1, 2>>>(x)\";",
        "auto s = R\"cu(k<<<1, 2>>>(\")cu\";", "char c = '<'; int i = 1'000'000;",
        "// goes on \\\n k<<<1, 2>>>(x)\n", "auto c = '\"'; // k<<<1, 2>>>(x)\n",
        "#error don't k <<< 1\n", "x = a << b; std::cout << n;", "template<> S operator<<<T>(S);"})
    EXPECT_EQ(rewrite(text).text, text);
}

TEST(launches, keep_the_lines_of_the_text) {
  std::string const text =
      "void f() {\n  k<int,\n    float>\n    <<<1, // blocks\n  32\n>>>(a,\n b);\n}\n"
      "#define M(k) \\\n  k< \\\n 3><<<1, \\\n  2>>>()\n";
  auto const done = rewrite(text).text;
  EXPECT_EQ(std::count(done.begin(), done.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  EXPECT_NE(done.find("shape(1, // blocks\n  32\n), UPSWEEP_EMULATED_CALL(k<int, float>))(a,\n b)"),
            std::string::npos)
      << done;
}

TEST(launches, columns_of_messages_are_mapped_back) {
  std::string const text = "int a;\n  k<<<blocks, 32>>>(wrong);\n";
  auto const done = rewrite(text);
  auto const second = done.text.find('\n') + 1;
  for (std::string const word : {"blocks", "wrong", ";\n"})
    EXPECT_EQ(original_column(done, text, 2, done.text.find(word, second) - second + 1),
              text.find(word, 7) - 7 + 1)
        << word;
  auto const inserted = done.text.find("UPSWEEP_EMULATED_CALL") - second + 5;
  EXPECT_EQ(original_column(done, text, 2, inserted), 3u);
  EXPECT_EQ(original_column(done, text, 1, 5), 5u);
}

TEST(launches, of_device_code_are_refused_with_their_line) {
  for (std::string const text :
       {"__global__ void p() {\n  c<<<1, 2>>>(); }",
        "__device__ int f(int x) {\n  { c<<<1, 2>>>(); } }",
        "void f() { each([=] __device__ (int i) {\n c<<<1, 2>>>(); }); }"}) {
    auto const done = rewrite(text);
    ASSERT_EQ(done.findings.size(), 1u) << text;
    EXPECT_EQ(done.findings[0].line, 2u);
    EXPECT_TRUE(done.findings[0].refuses);
    EXPECT_NE(done.findings[0].sentence.find("'c'"), std::string::npos);
  }
  for (std::string const text :
       {"__global__ void p() {}\nvoid f() { c<<<1, 2>>>(); }",
        "#ifdef A\n__device__ void p() {\n#else\n__device__ void p(int) {\n#endif\n}\nvoid f() { "
        "c<<<1, 2>>>(); }",
        "__host__ __device__ void f() { c<<<1, 2>>>(); }"})
    EXPECT_TRUE(rewrite(text).findings.empty()) << text;
}

TEST(launches, without_kernel_or_end_are_refused) {
  EXPECT_TRUE(rewrite("#define SHAPE <<<1, 2>>>\n").findings.at(0).refuses);
  EXPECT_TRUE(rewrite("void f() { k<<<1, 2; }").findings.at(0).refuses);
}

TEST(ptx, becomes_calls_of_named_functions) {
  EXPECT_EQ(ptx("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));"),
            "(x) = move<std::uint32_t>(laneid());");
  EXPECT_EQ(
      ptx("asm volatile (\"ld.relaxed.gpu.global.u32 %0, [%1+4];\" : \"=r\"(x) : \"l\"(p + 1) "
          ": \"memory\");"),
      "(x) = load_relaxed<std::uint32_t>(at((p+1), 4), scope::device);");
  EXPECT_EQ(ptx("asm(\"st.global.cg.v2.f32 [%0], {%1, %2};\" :: \"l\"(p), \"f\"(a), \"f\"(b));"),
            "store_vector<float>(at((p)), (a), (b));");
  EXPECT_EQ(ptx("asm(\"ld.global.nc.b32 %0, [%1];\" : \"=f\"(x) : \"l\"(p));"),
            "(x) = load<float>(at((p)));");
  EXPECT_EQ(ptx("asm(\"atom.add.acq_rel.sys.shared.u64 %0, [%1], %2;\" : \"=l\"(o) : \"r\"(p), "
                "\"l\"(v));"),
            "(o) = atomic_add<std::uint64_t>(at_shared((p)), (v), order::acq_rel, scope::system);");
  EXPECT_EQ(ptx("asm(\"cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\" :: \"r\"(s), "
                "\"l\"(g), \"r\"(n));"),
            "cp_async(at_shared((s)), at((g)), 16, (n));");
  EXPECT_EQ(ptx("asm(\"fma.rn.f32 %0, %1, 0f3F800000, %1;\" : \"=f\"(x) : \"f\"(a));"),
            "(x) = fma<float>((a), __builtin_bit_cast(float, 0x3F800000u), (a));");
  EXPECT_EQ(ptx("asm volatile(\"membar.gl;\");"), "fence(scope::device);");
  EXPECT_EQ(ptx("asm(\"mov.b64 {%0, %1}, %2;\" : \"=r\"(l), \"=r\"(h) : \"l\"(v));"),
            "unpack((v), (l), (h));");
  EXPECT_EQ(ptx("asm(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" :: \"r\"(m));"),
            "mbarrier_arrive(at_shared((m)));");
}

TEST(ptx, registers_predicates_and_labels_become_variables_ifs_and_gotos) {
  EXPECT_EQ(
      ptx("asm(\"{ .reg .pred p; setp.lt.s32 p, %1, 3; @!p bra DONE;\\n\"\n"
          "  \"add.s32 %0, %0, 1; DONE: }\" : \"+r\"(x) : \"r\"(n++));"),
      "do { auto const upsweep_in_1 = (n++); { __label__ upsweep_ptx_DONE; bool upsweep_ptx_p; "
      "upsweep_ptx_p = less<std::int32_t>(upsweep_in_1, 3); if (!upsweep_ptx_p) goto "
      "upsweep_ptx_DONE; (x) = add<std::int32_t>((x), 1); upsweep_ptx_DONE:; } } while (0)\n; }");
}

TEST(ptx, that_is_not_known_fails_when_it_is_executed) {
  auto const done = rewrite("__global__ void k() {\n  asm(\"wgmma.fence.sync.aligned;\");\n}");
  ASSERT_EQ(done.findings.size(), 1u);
  EXPECT_EQ(done.findings[0].line, 2u);
  EXPECT_FALSE(done.findings[0].refuses);
  EXPECT_NE(done.findings[0].sentence.find("'wgmma.fence.sync.aligned'"), std::string::npos);
  EXPECT_NE(done.text.find("ptx::unknown(\"wgmma.fence.sync.aligned\");"), std::string::npos);
}

TEST(ptx, assembly_of_the_host_and_empty_statements_stay) {
  for (std::string const text :
       {"int main() { asm volatile(\"rdtsc\" : \"=a\"(l)); asm(\"mov %0, %%eax; nop\"); }",
        "__device__ void f() { asm volatile(\"\" ::: \"memory\"); }"})
    EXPECT_EQ(rewrite(text).text, text);
}

TEST(rewriting, says_whether_there_are_kernels_and_main) {
  EXPECT_TRUE(rewrite("__global__ void k() {}").has_kernel);
  EXPECT_FALSE(rewrite("// __global__\nint domain();").has_kernel);
  EXPECT_TRUE(rewrite("int main(int, char**) {}").has_main);
  EXPECT_FALSE(rewrite("void f() { domain(3); x.main(); }").has_main);
}

TEST(rewriting, lists_includes) {
  using upsweep::lab::source::included;
  EXPECT_EQ(upsweep::lab::source::includes(
                "#include \"a.cuh\"\n# include \"b/c.h\" // \"d\"\n// #include \"e\"\n"
                "#include <f>\n#include <g/h-1.cuh> // >\n#include HEADER\n#include <i\n"),
            (std::vector<included>{
                {"a.cuh", true, 1}, {"b/c.h", true, 2}, {"f", false, 4}, {"g/h-1.cuh", false, 5}}));
}
