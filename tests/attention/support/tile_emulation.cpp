// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: VEX encoding, and the
// operations LDTILECFG, TILERELEASE, TILEZERO, TILELOADD, TILESTORED and TDPBF16PS.
#include "support/tile_emulation.h"

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tensor/dtype.h"

namespace attnlab::test {
namespace {

std::atomic<long> product_count = 0, configured_count = 0;

#if defined(__x86_64__) && defined(__linux__)

struct Unit {
  bool is_configured = false;
  std::uint8_t tiles[8][16][64];
};
thread_local Unit unit;
struct sigaction previous;

constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

// One instruction: its opcode with the mandatory prefix, its registers, its place in memory.
struct Instruction {
  int opcode, prefix, reg, rm, vvvv;
  bool has_memory;
  std::uint8_t* base = nullptr;  // address without the index
  std::int64_t index = 0;        // which AMX takes as the distance of rows
  const std::uint8_t* end;
};

template <class T>
T read(const std::uint8_t*& at) {
  T out;
  std::memcpy(&out, at, sizeof out);
  at += sizeof out;
  return out;
}

// False for what is no three-byte VEX instruction of map 0F38 without L and W.
bool decode(const greg_t* registers, Instruction& out) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
  if (at[0] != 0xC4 || (at[1] & 31) != 2 || (at[2] & 0x84) != 0) return false;
  const int r = ~at[1] >> 4 & 8, x = ~at[1] >> 3 & 8, b = ~at[1] >> 2 & 8;
  out.vvvv = ~at[2] >> 3 & 15;
  out.prefix = at[2] & 3;
  out.opcode = at[3];
  const int modrm = at[4], mod = modrm >> 6;
  out.reg = (modrm >> 3 & 7) | r;
  out.rm = modrm & 7;
  out.has_memory = mod != 3;
  at += 5;
  if (out.has_memory) {
    std::int64_t address = 0;
    const int sib = out.rm == 4 ? *at++ : -1;
    const int base = sib >= 0 ? sib & 7 : out.rm;
    const bool only_displacement = base == 5 && mod == 0;
    if (!only_displacement) address = registers[kRegisters[base | b]];
    if (sib >= 0 && ((sib >> 3 & 7) | x) != 4) {
      out.index = registers[kRegisters[(sib >> 3 & 7) | x]] << (sib >> 6);
    }
    if (mod == 1) address += read<std::int8_t>(at);
    if (mod == 2 || only_displacement) address += read<std::int32_t>(at);
    if (only_displacement && sib < 0) address += reinterpret_cast<std::int64_t>(at);
    out.base = reinterpret_cast<std::uint8_t*>(address);
  }
  out.end = at;
  return true;
}

float half(const std::uint8_t* at) {
  Bf16 out;
  std::memcpy(&out, at, sizeof out);
  return to_float(out);
}

void multiply(std::uint8_t (&c)[16][64], const std::uint8_t (&a)[16][64],
              const std::uint8_t (&b)[16][64]) {
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      float even = 0, odd = 0, sum;
      for (int p = 0; p < 16; ++p) {
        even += half(a[i] + 4 * p) * half(b[p] + 4 * j);
        odd += half(a[i] + 4 * p + 2) * half(b[p] + 4 * j + 2);
      }
      std::memcpy(&sum, c[i] + 4 * j, 4);
      sum += even + odd;
      std::memcpy(c[i] + 4 * j, &sum, 4);
    }
  }
}

// Palette 1, all eight tiles of 16 rows of 64 bytes.
bool configure(const std::uint8_t* config) {
  bool whole = config[0] == 1 && config[1] == 0;
  for (int t = 0; t < 8; ++t) {
    std::uint16_t bytes;
    std::memcpy(&bytes, config + 16 + 2 * t, 2);
    whole = whole && bytes == 64 && config[48 + t] == 16;
  }
  return whole;
}

// False for what is no AMX instruction that can be executed now.
bool execute(const Instruction& i) {
  enum { kNone, k66, kF3, kF2 };
  if (i.opcode == 0x49 && i.prefix == kNone && i.has_memory) {
    if (!configure(i.base + i.index)) return false;
    unit = Unit{.is_configured = true, .tiles = {}};
    ++configured_count;
    return true;
  }
  if (!unit.is_configured || i.reg > 7) return false;
  if (i.opcode == 0x49 && i.prefix == kNone) {
    unit.is_configured = false;
    --configured_count;
  } else if (i.opcode == 0x49 && i.prefix == kF2 && !i.has_memory) {
    std::memset(unit.tiles[i.reg], 0, sizeof unit.tiles[i.reg]);
  } else if (i.opcode == 0x4B && i.prefix == kF2 && i.has_memory) {
    for (int r = 0; r < 16; ++r) std::memcpy(unit.tiles[i.reg][r], i.base + r * i.index, 64);
  } else if (i.opcode == 0x4B && i.prefix == kF3 && i.has_memory) {
    for (int r = 0; r < 16; ++r) std::memcpy(i.base + r * i.index, unit.tiles[i.reg][r], 64);
  } else if (i.opcode == 0x5C && i.prefix == kF3 && !i.has_memory && i.vvvv < 8) {
    multiply(unit.tiles[i.reg], unit.tiles[i.rm], unit.tiles[i.vvvv]);
    ++product_count;
  } else {
    return false;
  }
  return true;
}

void on_illegal_instruction(int, siginfo_t*, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  Instruction instruction{};
  if (!decode(registers, instruction) || !execute(instruction)) {
    ::signal(SIGILL, SIG_DFL);  // it happens again, and ends the program
    return;
  }
  registers[REG_RIP] = reinterpret_cast<greg_t>(instruction.end);
}

}  // namespace

TileEmulation::TileEmulation() {
  struct sigaction action {};
  action.sa_sigaction = on_illegal_instruction;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGILL, &action, &previous);
}
TileEmulation::~TileEmulation() { ::sigaction(SIGILL, &previous, nullptr); }

#else

}  // namespace

TileEmulation::TileEmulation() = default;
TileEmulation::~TileEmulation() = default;

#endif

long TileEmulation::products() { return product_count; }
long TileEmulation::configured() { return configured_count; }

}  // namespace attnlab::test
