// Times a kernel on request, so that scripts/peers can alternate it with other libraries without
// starting a process for every sample. Requests are lines on standard input, each answered by one
// line: "ok ...", or "no REASON".
//   open PROBLEM     reads it and runs once; PROBLEM is FOLDER HEADS N HEAD_DIM VISIBLE THREADS,
//                    with q, k, v [HEADS, N, HEAD_DIM] of float32 in FOLDER/q.f32 ...; VISIBLE is
//                    full, causal, or decode: the last query alone, by the kernel of that name
//   run CALLS        seconds a call, of that many
//   empty CALLS      seconds that a call takes without attention: 0, nothing is taken off
//   output FILE      writes o of the last run
//   memory PROBLEM   bytes by which memory rises when a kernel is set up for it and run once
//   close            forgets the problem
//   bench_serve [KERNEL [ISA]]
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "attention/attention.h"

namespace attnlab {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<float> read_floats(const std::string& path, std::size_t count) {
  std::vector<float> out(count);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(count * 4));
  if (!file)
    throw std::runtime_error("cannot read " + std::to_string(count * 4) + " bytes of " + path);
  return out;
}

// A size of /proc/self/status in bytes: VmRSS is what is resident, VmHWM the most that was.
std::int64_t resident_bytes(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field + ":")) return std::stoll(line.substr(field.size() + 1)) * 1024;
  }
  throw std::runtime_error("/proc/self/status has no " + field);
}

class Session {
 public:
  Session(const Kernel& kernel, std::istream& request) : kernel_(&kernel) {
    std::string folder, visible;
    std::int64_t heads = 0, n = 0, d = 0;
    if (!(request >> folder >> heads >> n >> d >> visible >> threads_)) {
      throw std::runtime_error("a problem is FOLDER HEADS N HEAD_DIM full|causal|decode THREADS");
    }
    problem_ = self_attention(1, heads, n, d);
    if (visible == "decode") {
      problem_.nq = 1;
      kernel_ = find_kernel("decode", kernel.isa);
      if (kernel_ == nullptr) throw std::runtime_error("decode has no such instruction set");
    }
    problem_.causal = visible == "causal" ? Causal::kTopLeft : Causal::kNone;
    const auto count = static_cast<std::size_t>(heads * n * d);
    q_ = read_floats(folder + "/q.f32", count);
    k_ = read_floats(folder + "/k.f32", count);
    v_ = read_floats(folder + "/v.f32", count);
    o_.assign(static_cast<std::size_t>(heads * problem_.nq * d),
              std::numeric_limits<float>::quiet_NaN());
  }

  void prepare() {
    team_ = std::make_unique<ThreadTeam>(threads_);
    prepared_ = std::make_unique<PreparedKernel>(*kernel_, problem_, threads_);
    prepared_->run(operands(), *team_);
  }

  double run(std::int64_t calls) {
    const double begin = now();
    for (std::int64_t i = 0; i < calls; ++i) prepared_->run(operands(), *team_);
    return (now() - begin) / static_cast<double>(calls);
  }

  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(o_.data()),
               static_cast<std::streamsize>(o_.size() * sizeof(float)));
    if (!file) throw std::runtime_error("cannot write " + path);
  }

 private:
  Operands operands() {
    const Problem& p = problem_;
    const Index4 shape{1, p.heads, p.nk, p.head_dim};
    return {.q = ConstView(q_.data(), shape).rows(p.nk - p.nq, p.nq),
            .k = ConstView(k_.data(), shape),
            .v = ConstView(v_.data(), shape),
            .o = View(o_.data(), {1, p.heads, p.nq, p.head_dim})};
  }

  const Kernel* kernel_;
  Problem problem_;
  int threads_ = 1;
  std::vector<float> q_, k_, v_, o_;
  std::unique_ptr<ThreadTeam> team_;
  std::unique_ptr<PreparedKernel> prepared_;
};

// Bytes by which memory rises above what it is before `body`.
template <class Body>
std::int64_t rise_of_memory(Body&& body) {
  std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM starts again
  const std::int64_t before = resident_bytes("VmRSS");
  body();
  return std::max<std::int64_t>(0, resident_bytes("VmHWM") - before);
}

// The answer to one request, after "ok".
std::string answer(const Kernel& kernel, std::unique_ptr<Session>& session,
                   std::istringstream& request) {
  std::string command;
  request >> command;
  std::ostringstream out;
  out.precision(9);
  if (command == "open" || command == "memory") {
    session.reset();
    session = std::make_unique<Session>(kernel, request);
    const std::int64_t bytes = rise_of_memory([&] { session->prepare(); });
    if (command == "memory") out << ' ' << bytes;
    return out.str();
  }
  if (!session) throw std::runtime_error("nothing is open");
  if (command == "run") {
    std::int64_t calls = 0;
    if (!(request >> calls) || calls < 1) throw std::runtime_error("run CALLS");
    out << ' ' << session->run(calls);
  } else if (command == "output") {
    std::string path;
    request >> path;
    session->write(path);
  } else if (command == "empty") {
    out << " 0";
  } else if (command == "close") {
    session.reset();
  } else {
    throw std::runtime_error("unknown request " + command);
  }
  return out.str();
}

int serve(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "flash";
  const auto isa = argc > 2 ? isa_from_name(argv[2]) : std::nullopt;
  const Kernel* kernel = isa ? find_kernel(name, *isa) : find_kernel(name);
  if (kernel == nullptr || (argc > 2 && !isa)) {
    std::cerr << "bench_serve: no such kernel on this machine\n";
    return 2;
  }
  std::cout << "ok attnlab " << name << '/' << isa_name(kernel->isa) << std::endl;
  std::unique_ptr<Session> session;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream request(line);
    try {
      std::cout << "ok" << answer(*kernel, session, request) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "no " << error.what() << std::endl;
    }
  }
  return 0;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::serve(argc, argv); }
