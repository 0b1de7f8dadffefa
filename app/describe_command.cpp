// `attnlab describe X`: one experiment, kernel, claim or format in detail; `describe claim X` says
// which kind is meant.
#include "app/catalog.h"
#include "app/command.h"
#include "app/deliver.h"
#include "base/text.h"

namespace attnlab {
namespace {

std::vector<std::string> entry_names() {
  std::vector<std::string> out;
  for (const CatalogSection& section : catalog()) {
    for (const CatalogEntry& entry : section.entries) out.push_back(entry.name);
  }
  return out;
}

// Names, and kinds that may stand before them.
std::vector<std::string> first_words() {
  std::vector<std::string> out = entry_names();
  for (const CatalogSection& section : catalog()) out.push_back(section.kind);
  return out;
}

std::vector<Table> tables_of(const CatalogSection& section, const CatalogEntry& entry) {
  Table about("about", "describe",
              {{"name", "its name", ColumnKind::kParameter},
               {"kind", "what kind of thing it is", ColumnKind::kExact},
               {"summary", "what it does", ColumnKind::kExact},
               {"source", "what it follows", ColumnKind::kExact}});
  about.add_row()
      .set("name", entry.name)
      .set("kind", section.kind)
      .set("summary", entry.summary)
      .set("source", entry.source.empty() ? Cell() : Cell(entry.source));
  std::vector<Table> out{std::move(about)};
  for (Table& table : entry.details()) out.push_back(std::move(table));
  return out;
}

// Every word is one of those allowed, but not in this order.
Mistake not_there(const std::string& kind, const std::string& name) {
  std::vector<std::string> names;
  for (const CatalogSection& section : catalog()) {
    if (section.kind != kind) continue;
    for (const CatalogEntry& entry : section.entries) names.push_back(entry.name);
  }
  if (names.empty()) return {name, kind.empty() ? "is a kind, no name" : kind + " is no kind", ""};
  return {name, "is no " + kind, suggest(name, names)};
}

class DescribeCommand : public Command {
 public:
  DescribeCommand()
      : Command({.name = "describe",
                 .summary = "one of them in detail: parameters, columns, sources",
                 .positionals = {{.name = "NAME", .words = first_words()},
                                 {.name = "NAME", .words = entry_names(), .required = false}},
                 .examples = {"attnlab describe variance",
                              "attnlab describe cost --table columns --format markdown",
                              "attnlab describe flash", "attnlab describe claim kv-cache"}}) {
    output_.declare(flags_);
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }
  ColorChoice color() const override { return output_.color; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>& line,
               std::vector<Mistake> mistakes) override {
    const std::vector<std::string>& words = arguments.positionals;
    const std::string kind = words.size() > 1 ? words[0] : "";
    for (const CatalogSection& section : catalog()) {
      if (!kind.empty() && section.kind != kind) continue;
      for (const CatalogEntry& entry : section.entries) {
        if (words.empty() || entry.name != words.back()) continue;
        if (!mistakes.empty()) throw UserError(std::move(mistakes));
        return deliver_tables("describe", tables_of(section, entry), output_, line);
      }
    }
    if (mistakes.empty()) mistakes.push_back(not_there(kind, words.back()));
    throw UserError(std::move(mistakes));
  }

 private:
  OutputFlags output_;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_describe_command() { return std::make_unique<DescribeCommand>(); }

}  // namespace attnlab
