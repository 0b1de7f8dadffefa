// Layer types that a configuration names one by one: lists of words, letters of a pattern.
#ifndef ATTNLAB_IO_MODEL_CONFIG_WORDS_H_
#define ATTNLAB_IO_MODEL_CONFIG_WORDS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/model_config_block.h"
#include "io/model_config_pattern.h"

namespace attnlab {

struct LayerWords {
  std::string key;  // the key they stand under
  std::vector<std::string> words;
};
// No value when no key names layer types.
std::optional<LayerWords> listed_words(const ConfigBlock& block);

// One kind a layer; UserError for an unknown word, or for more or fewer words than layers (only
// block_types repeats).
std::vector<LayerKind> kinds_of_words(const ConfigBlock& block, const LayerWords& listed,
                                      std::size_t layers);

// The length of the list of layer types, where there is one: a file may leave the count to it.
std::optional<std::size_t> listed_layers(const ConfigBlock& block);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_WORDS_H_
