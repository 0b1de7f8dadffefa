// What the cost experiment tells people beside its numbers: which keys it read, what it assumed.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "experiments/cost_tables.h"

namespace attnlab {
namespace {

std::string pair_rule(const LayerShape& shape) {
  std::string out = shape.causal == Causal::kNone ? "every query with every key"
                                                  : "causal, " + choice_name(shape.causal);
  if (shape.reach.window) out += fmt::format(", window {}", *shape.reach.window);
  return out;
}

std::string note_text(const ConfigNote& note) {
  switch (note.kind) {
    case NoteKind::kDerived:
      return fmt::format("{} {} = {}", note.key, note.text, note.value);
    case NoteKind::kAssumed:
      return fmt::format("{} = {} assumed ({})", note.key, note.value, note.text);
    case NoteKind::kNotCounted:
      return fmt::format("{}{} not counted: {}", note.key,
                         note.value.empty() ? "" : " " + note.value, note.text);
    case NoteKind::kRead:
      break;
  }
  return note.key + " " + note.value;
}

void add_model_notes(const CostSubject& subject, Table& table) {
  std::vector<std::string> read;
  for (const ConfigNote& note : subject.notes) {
    if (note.kind == NoteKind::kRead) read.push_back(note_text(note));
  }
  table.add_note(fmt::format("{}: read {}.", subject.name, join(read, ", ")));
  for (const ConfigNote& note : subject.notes) {
    if (note.kind != NoteKind::kRead) {
      table.add_note(fmt::format("{}: {}.", subject.name, note_text(note)));
    }
  }
  bool has_encoder = false, has_tower = false;
  for (const LayerType& type : subject.shape.types) {
    has_encoder = has_encoder || type.is_encoder;
    has_tower = has_tower || type.is_tower;
  }
  if (has_encoder) {
    table.add_note(
        "An encoder's keys and values live for one pass: kv_cache and comparison leave them out. "
        "A decoder layer is two rows, self- and cross-attention; its feed-forward layer stands in "
        "the first. --causal masks every self-attention, an encoder's too.");
  }
  if (has_tower) {
    table.add_note(
        "A tower beside the text model stands in a row of its own, counted at the same n, and in "
        "no sum.");
  }
}

}  // namespace

void add_key_rows(const CostSubject& subject, Table& table) {
  for (const ConfigNote& note : subject.notes) {
    table.add_row()
        .set("model", subject.name)
        .set("key", note.key)
        .set("how", std::string(name_of(note.kind)))
        .set("value", note.value)
        .set("text", note.text);
  }
}

void add_table_notes(std::vector<Table>& tables) {
  tables[CostTables::kPhases].add_note(
      "At nq = nk = n the masks top-left and bottom-right agree: n (n + 1) / 2 pairs where no "
      "window "
      "cuts them. Decode is bottom-right: its one query sees all n keys; top-left it would see "
      "one.");
  tables[CostTables::kPhases].add_note(
      "decode is the new token alone. Of latent attention: decode_absorbed folds the expansion of "
      "the compressed cache into queries and outputs, decode_expanding expands all of it again.");
  tables[CostTables::kCache].add_note(
      "A layer with a window or chunk keeps no more tokens than that.");
  tables[CostTables::kTraining].add_note(
      "Kept per layer: both norms' inputs and outputs, Q, K, V, attention's output, the "
      "feed-forward "
      "layer's inner activations; of the scores all weights (three-step) or a float32 log-sum-exp "
      "a "
      "row (fused). nq = nk = n, no mask saves memory.");
}

void add_cost_notes(const CostSubject& subject, Table& table) {
  if (!subject.name.empty()) {
    add_model_notes(subject, table);
    const bool is_causal =
        std::any_of(subject.shape.types.begin(), subject.shape.types.end(),
                    [](const LayerType& type) { return type.shape.causal != Causal::kNone; });
    table.add_note(is_causal ? "Counted pairs: causal, exactly n (n + 1) / 2 where a window does "
                               "not cut them."
                             : "Counted pairs: every query with every key that a window or chunk "
                               "leaves (causal none), as the ratio n/(2D) counts them; with "
                               "--causal bottom-right a decoder's n (n + 1) / 2.");
    return;
  }
  const LayerShape& shape = subject.shape.types.front().shape;
  table.add_note(fmt::format(
      "D = {}, {} heads ({} of keys and values) of {}{}; a layer, whole batch; counted pairs: {}.",
      shape.width, shape.heads, shape.kv_heads, shape.head_dim,
      shape.head_dim_v == shape.head_dim ? "" : fmt::format(" (values {})", shape.head_dim_v),
      pair_rule(shape)));
}

}  // namespace attnlab
