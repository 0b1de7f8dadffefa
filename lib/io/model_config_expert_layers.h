// Which layers of a model with experts have them: from lists, flags, words, periods.
#ifndef ATTNLAB_IO_MODEL_CONFIG_EXPERT_LAYERS_H_
#define ATTNLAB_IO_MODEL_CONFIG_EXPERT_LAYERS_H_

#include <vector>

#include "io/model_config_block.h"
#include "io/model_config_pattern.h"

namespace attnlab {

// One value a layer; all true where no key says otherwise.
std::vector<bool> expert_layers(const ConfigBlock& block, const std::vector<LayerKind>& kinds);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_EXPERT_LAYERS_H_
