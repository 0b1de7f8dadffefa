#include "random/fill.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "random/product_kernels.h"
#include "random/streams.h"

namespace attnlab {

void fill_random(std::span<float> out, const FillSettings& settings, std::int64_t first, Isa isa) {
  ATTNLAB_CHECK(first >= 0 && (settings.law != Law::kStudentT || settings.df > 2.0));
  const auto kernel = product_kernels(isa).fill;
  const FillJob job{settings.law, settings.df,
                    stream_keys(settings.seed, Stream::kFill,
                                static_cast<std::uint32_t>(settings.law), settings.stream)};
  const std::int64_t per_block = components_per_block(settings.law);
  const std::int64_t per_call = kMaxLanes * per_block;  // elements, and its multiples start a call
  std::array<float, 4 * kMaxLanes> part;
  for (std::size_t done = 0; done < out.size();) {
    const std::int64_t element = first + static_cast<std::int64_t>(done);
    const std::int64_t skip = element % per_call;
    const auto block = static_cast<std::uint64_t>((element - skip) / per_block);
    const auto whole = static_cast<std::int64_t>(out.size() - done) / per_call;
    if (skip == 0 && whole > 0) {
      kernel(job, block, whole * kMaxLanes, out.data() + done);
      done += static_cast<std::size_t>(whole * per_call);
    } else {
      kernel(job, block, kMaxLanes, part.data());
      const auto take = std::min(static_cast<std::size_t>(per_call - skip), out.size() - done);
      std::copy_n(part.begin() + skip, take, out.begin() + static_cast<std::ptrdiff_t>(done));
      done += take;
    }
  }
}

}  // namespace attnlab
