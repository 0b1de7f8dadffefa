#include "machine/amx.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/check.h"

#if defined(__x86_64__) && defined(__linux__)
#define ATTNLAB_HAS_AMX_CODE 1
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#else
#define ATTNLAB_HAS_AMX_CODE 0
#endif

namespace attnlab {
namespace {

std::optional<std::string>& simulated_refusal() {
  static std::optional<std::string> reason;
  return reason;
}

}  // namespace

SimulatedAmxRefusal::SimulatedAmxRefusal(std::string reason) {
  simulated_refusal() = std::move(reason);
}
SimulatedAmxRefusal::~SimulatedAmxRefusal() { simulated_refusal().reset(); }

#if ATTNLAB_HAS_AMX_CODE

namespace {

// Palette 1: eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

// 16 x 16 sums of 32 products each: a multiply-add is two FLOPs.
constexpr double kTileFlops = 2.0 * 16 * 16 * 32;
constexpr int kChains = 4;

__attribute__((target("amx-tile,amx-bf16"))) void tile_chains(std::int64_t rounds) {
  configure_tiles();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (std::int64_t i = 0; i < rounds; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  release_tiles();
}

std::string ask_for_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  if (!__builtin_cpu_supports("amx-tile") || !__builtin_cpu_supports("amx-bf16")) {
    return "this processor has no AMX for bf16";
  }
  if (::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0) return "";
  return fmt::format("the system refuses this process AMX ({})",
                     std::generic_category().message(errno));
}

}  // namespace

__attribute__((target("amx-tile"))) void configure_tiles() {
  // Static: of one on the stack g++ 12 writes the first eight bytes alone, because its
  // _tile_loadconfig() does not say that it reads more.
  static constexpr TileConfig kConfig;
  _tile_loadconfig(&kConfig);
}
__attribute__((target("amx-tile"))) void release_tiles() { _tile_release(); }

std::string amx_refusal() {
  static const std::string refusal = ask_for_amx();
  return simulated_refusal().value_or(refusal);
}

double run_amx_probe(std::int64_t rounds, ThreadTeam& team) {
  ATTNLAB_CHECK(may_use_amx());
  team.run(team.threads(), [&](std::int64_t, int) { tile_chains(rounds); });
  return kTileFlops * kChains * static_cast<double>(rounds) * team.threads();
}

#else

std::string amx_refusal() { return simulated_refusal().value_or("this build has no AMX code"); }
void configure_tiles() { ATTNLAB_CHECK(false); }
void release_tiles() { ATTNLAB_CHECK(false); }
double run_amx_probe(std::int64_t, ThreadTeam&) {
  ATTNLAB_CHECK(false);
  return 0;
}

#endif

}  // namespace attnlab
