// The attention library without the command line: eight heads of 64 on 300 tokens, causal, with two
// key heads; the fused kernel against the float64 reference, then the same token by token from a
// KV-cache. Exits with 0 if both are right.
//
//   q [1, 8, 300, 64]   k, v [1, 2, 300, 64]   o [1, 8, 300, 64]
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include "attention/attention.h"
#include "random/fill.h"

namespace {

using namespace attnlab;  // NOLINT: an example

std::vector<float> normals(std::int64_t count, std::uint64_t stream) {
  std::vector<float> out(static_cast<std::size_t>(count));
  fill_random(out, {.seed = 1, .stream = stream});
  return out;
}

int run() {
  Problem problem = self_attention(1, 8, 300, 64);  // batch, heads, n, head size
  problem.kv_heads = 2;
  problem.causal = Causal::kTopLeft;

  const Index4 q_shape{1, 8, 300, 64}, k_shape{1, 2, 300, 64};
  const std::vector<float> q = normals(element_count(q_shape), 0);
  const std::vector<float> k = normals(element_count(k_shape), 1);
  const std::vector<float> v = normals(element_count(k_shape), 2);
  std::vector<float> o(q.size());
  const Operands operands{.q = ConstView(q.data(), q_shape),
                          .k = ConstView(k.data(), k_shape),
                          .v = ConstView(v.data(), k_shape),
                          .o = View(o.data(), q_shape)};

  ThreadTeam team(2);
  const PreparedKernel flash(*find_kernel("flash"), problem, team.threads());
  flash.run(operands, team);

  std::vector<std::int64_t> rows(300);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<double> truth(o.size());
  std::vector<float> plain(o.size());
  const View truth_view(truth.data(), q_shape), plain_view(plain.data(), q_shape);
  reference_rows(problem, Operator::kDense, operands, rows, truth_view, team);
  textbook_rows(problem, Operator::kDense, operands, rows, plain_view, team);
  const double textbook_error = max_difference(plain_view, truth_view);
  const double error = max_difference(operands.o, truth_view);
  const double ratio = error_ratio(error, textbook_error, operands.v);
  std::printf("flash on %s: %lld multiply-adds, %lld bytes of workspace\n",
              std::string(isa_name(flash.kernel().isa)).c_str(),
              static_cast<long long>(flash.kernel().macs(problem)),
              static_cast<long long>(flash.workspace_bytes()));
  std::printf("max_error %.2e, error_ratio %.2f\n", error, ratio);

  Generation generation(*find_kernel("decode"), problem, Generation::Cache::kYes, team.threads());
  for (std::int64_t token = 0; token < problem.nq; ++token) generation.step(operands, team);
  const double cached =
      error_ratio(max_difference(operands.o, truth_view), textbook_error, operands.v);
  std::printf("token by token from a KV-cache: error_ratio %.2f\n", cached);
  return ratio <= 2 && cached <= 2 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
