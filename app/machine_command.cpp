// `attnlab machine`: the processor, how much of the machine this process may use, and its limits.
#include "app/command.h"
#include "app/deliver.h"
#include "base/text.h"
#include "experiments/peaks_table.h"
#include "machine/blas.h"
#include "machine/blas_core.h"
#include "machine/isa.h"
#include "machine/machine.h"

namespace attnlab {
namespace {

// "avx512bf16 amx", or why there is none.
std::string bf16_isas() {
  std::vector<std::string> here, reasons;
  for (const Isa isa : {Isa::kAvx512Bf16, Isa::kAmx}) {
    const std::string absence = isa_absence(isa);
    (absence.empty() ? here : reasons)
        .push_back(absence.empty() ? std::string(isa_name(isa)) : absence);
  }
  return here.empty() ? join(reasons, "; ") : join(here, " ");
}

Table machine_table(const Machine& machine) {
  const auto exact = [](std::string name, std::string help, std::string unit = "") {
    return Column{std::move(name), std::move(help), ColumnKind::kExact, std::move(unit)};
  };
  Table out("machine", "machine",
            {exact("cpu", "model of the processor"), exact("logical_cpus", "CPUs that are online"),
             exact("affinity", "CPUs that this process may run on"),
             exact("quota", "CPUs' worth of time that the cgroup allows; null: no limit"),
             exact("threads", "threads that --threads auto takes"),
             exact("governor", "frequency governor of CPU 0; null where the kernel does not say"),
             exact("simd", "SIMD targets that this processor and this build have, best last"),
             exact("bf16", "instruction sets that multiply bf16, or why there is none"),
             exact("memory_bytes", "memory installed", "B"),
             exact("memory_limit_bytes", "memory that the cgroup allows; null: no limit", "B"),
             exact("available_bytes", "memory that is free, cgroup included", "B"),
             exact("load", "average load of the last minute"), exact("kernel", "operating system"),
             exact("blas", "BLAS library"), exact("blas_version", "its version"),
             exact("blas_core", "the kernels that it takes"),
             exact("blas_core_chosen_by",
                   "who chose them: OpenBLAS, OPENBLAS_CORETYPE as the user set it, or attnlab, "
                   "where OpenBLAS had taken kernels below what the processor can do")});
  std::vector<std::string> isas;
  for (const Isa isa : simd_isas()) isas.emplace_back(isa_name(isa));
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Cell() : Cell(text);
  };
  const BlasInfo blas = blas_info();
  out.add_row()
      .set("cpu", text_or_null(machine.cpu))
      .set("logical_cpus", machine.logical_cpus)
      .set("affinity",
           Cell(std::vector<std::int64_t>(machine.affinity.begin(), machine.affinity.end())))
      .set("quota", machine.quota ? Cell(*machine.quota) : Cell())
      .set("threads", usable_threads(machine))
      .set("governor", text_or_null(machine.governor))
      .set("simd", join(isas, " "))
      .set("bf16", bf16_isas())
      .set("memory_bytes", machine.memory_bytes)
      .set("memory_limit_bytes",
           machine.memory_limit_bytes ? Cell(*machine.memory_limit_bytes) : Cell())
      .set("available_bytes", machine.available_bytes)
      .set("load", machine.load)
      .set("kernel", machine.kernel)
      .set("blas", blas.name)
      .set("blas_version", blas.version)
      .set("blas_core", text_or_null(blas.core))
      .set("blas_core_chosen_by", blas_core_chosen_by());
  return out;
}

Table cache_table(const Machine& machine) {
  Table out("caches", "machine",
            {{"level", "level of the cache", ColumnKind::kParameter},
             {"type", "what it holds", ColumnKind::kParameter},
             {"bytes", "its size", ColumnKind::kExact, "B"},
             {"shared_by", "logical CPUs that share it", ColumnKind::kExact}});
  for (const Cache& cache : machine.caches) {
    out.add_row()
        .set("level", cache.level)
        .set("type", cache.type)
        .set("bytes", cache.bytes)
        .set("shared_by", cache.shared_by);
  }
  return out;
}

// Every instruction set on one thread and on all, every level of memory.
Table measured_limits(const Machine& machine) {
  PeakSettings settings;
  settings.isas = simd_isas();
  settings.threads = {1};
  if (usable_threads(machine) > 1) settings.threads.push_back(usable_threads(machine));
  Watch nothing;
  Table out = peaks_table("machine");
  for (const Peak& peak : take_peaks(settings, nothing)) add_peak_row(peak, out);
  out.add_note(
      "A rate is that of the median call, best that of the fastest: where they differ much, others "
      "use the machine. Caches may be shared with other programs, on virtual machines with other "
      "guests.");
  return out;
}

class MachineCommand : public Command {
 public:
  MachineCommand()
      : Command({.name = "machine",
                 .summary = "this machine, and how much of it attnlab may use",
                 .examples = {"attnlab machine", "attnlab machine --peaks",
                              "attnlab machine --format json"}}) {
    flags_.add("peaks", peaks_,
               "measure its limits: multiply-adds, bandwidths, the latency of threads");
    output_.declare(flags_);
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }
  ColorChoice color() const override { return output_.color; }

  ExitCode run(const Arguments&, const std::vector<std::string>& line,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    const Machine machine = read_machine();
    std::vector<Table> tables{machine_table(machine), cache_table(machine)};
    if (peaks_) tables.push_back(measured_limits(machine));
    return deliver_tables("machine", std::move(tables), output_, line);
  }

 private:
  bool peaks_ = false;
  OutputFlags output_;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_machine_command() { return std::make_unique<MachineCommand>(); }

}  // namespace attnlab
