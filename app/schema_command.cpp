// `attnlab schema`: the JSON Schema of configs or of results.
#include "app/command.h"
#include "app/config_schema.h"
#include "report/json_text.h"
#include "report/result_schema.h"

namespace attnlab {
namespace {

class SchemaCommand : public Command {
 public:
  SchemaCommand()
      : Command({.name = "schema",
                 .summary = "JSON Schema of configs (or of results)",
                 .positionals = {{.name = "configs|results",
                                  .words = {"configs", "results"},
                                  .required = false}},
                 .examples = {"attnlab schema", "attnlab schema results"}}) {}

  ExitCode run(const Arguments& arguments, const std::vector<std::string>&,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    const bool of_results = !arguments.positionals.empty() && arguments.positionals[0] == "results";
    write_stdout(pretty_json(of_results ? result_schema() : config_schema()) + "\n");
    return ExitCode::kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_schema_command() { return std::make_unique<SchemaCommand>(); }

}  // namespace attnlab
