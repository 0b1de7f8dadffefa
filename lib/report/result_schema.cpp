#include "report/result_schema.h"

#include "report/result.h"

namespace attnlab {
namespace {

// All but the words that result.h and table.h name, which are filled in below.
constexpr std::string_view kSchema = R"schema({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "attnlab result",
  "type": "object",
  "properties": {
    "schema": {},
    "name": {"type": "string"},
    "status": {},
    "points": {
      "description": "how far the run is: points of all experiments in their order",
      "type": "object",
      "properties": {
        "done": {"type": "integer", "minimum": 0},
        "total": {"type": "integer", "minimum": 1}
      },
      "required": ["done", "total"],
      "additionalProperties": false
    },
    "provenance": {
      "type": "object",
      "properties": {
        "command_line": {"type": "array", "items": {"type": "string"}},
        "config": {"type": ["object", "null"]},
        "seed": {"type": "array", "items": {"type": ["integer", "null"]}},
        "version": {"type": "string"},
        "commit": {"type": "string"},
        "compiler": {"type": "string"},
        "build_type": {"type": "string"},
        "flags": {"type": "string"},
        "blas": {
          "type": "object",
          "properties": {
            "name": {"type": "string"},
            "version": {"type": "string"},
            "core": {"type": "string"},
            "core_chosen_by": {"type": "string"}
          },
          "required": ["name", "version", "core"]
        },
        "simd_target": {"type": "string"},
        "simd_targets": {"type": "array", "items": {"type": "string"}},
        "threads": {"type": "integer", "minimum": 1},
        "cpu": {"type": "string"},
        "logical_cpus": {"type": "integer", "minimum": 1},
        "affinity": {"type": "array", "items": {"type": "integer"}},
        "quota": {"type": ["number", "null"]},
        "governor": {"type": ["string", "null"]},
        "memory_bytes": {"type": "integer"},
        "memory_limit_bytes": {"type": ["integer", "null"]},
        "kernel": {"type": "string"},
        "load": {"type": "number"},
        "start": {"type": "string"},
        "duration": {"description": "seconds; null until the end", "type": ["number", "null"]},
        "inputs": {
          "description": "files that the experiments read",
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "path": {"type": "string"},
              "bytes": {"type": "integer", "minimum": 0},
              "changed_ns": {"description": "time of the last change", "type": "integer"}
            },
            "required": ["path", "bytes", "changed_ns"]
          }
        },
        "peaks": {
          "description": "limits of the machine that the run measured: the rows of its tables of them",
          "type": "array",
          "items": {"type": "object"}
        },
        "resumed": {
          "description": "the parts of the run before --resume",
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "start": {"type": "string"},
              "points": {"type": "integer", "minimum": 0}
            },
            "required": ["start", "points"]
          }
        }
      },
      "required": ["command_line", "config", "seed", "version", "commit", "compiler", "flags",
                   "blas", "simd_target", "threads", "cpu", "affinity", "quota", "governor",
                   "load", "start", "duration"]
    },
    "expectations": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "table": {"type": "string"},
          "row": {"description": "the parameters that find the row", "type": "object"},
          "column": {"type": "string"},
          "expected": {},
          "measured": {},
          "verdict": {},
          "reason": {"description": "why it is not \"pass\"", "type": "string"}
        },
        "required": ["table", "row", "column", "expected", "measured", "verdict"],
        "additionalProperties": false
      }
    },
    "tables": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {"description": "unique in the document", "type": "string"},
          "experiment": {"type": "string"},
          "title": {"type": "string"},
          "columns": {
            "type": "array",
            "minItems": 1,
            "items": {
              "type": "object",
              "properties": {
                "name": {"type": "string"},
                "unit": {"description": "SI; \"\" for a plain number", "type": "string"},
                "kind": {},
                "better": {},
                "tolerance": {
                  "description": "by how much two results may differ and be the same",
                  "type": ["object", "null"],
                  "properties": {
                    "relative": {"type": "number", "exclusiveMinimum": 0},
                    "absolute": {"type": "number", "exclusiveMinimum": 0},
                    "of": {
                      "description": "the column whose value is the unit of absolute",
                      "type": "string"
                    }
                  },
                  "additionalProperties": false
                },
                "interval": {
                  "description": "the columns that hold the ends of its 95 % interval",
                  "type": "array",
                  "items": {"type": "string"},
                  "minItems": 2,
                  "maxItems": 2
                },
                "help": {"type": "string"}
              },
              "required": ["name", "unit", "kind", "better", "tolerance", "help"],
              "additionalProperties": false
            }
          },
          "notes": {"type": "array", "items": {"type": "string"}},
          "rows": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "status": {"enum": ["ok", "skipped", "refused", "failed"]},
                "reason": {"type": ["string", "null"]},
                "time_samples": {
                  "description": "one list a process: seconds a call, in order of measurement",
                  "type": "array",
                  "items": {"type": "array", "items": {"type": "number", "minimum": 0}}
                }
              },
              "additionalProperties": {
                "type": ["number", "string", "boolean", "null", "array"],
                "items": {"type": "integer"}
              }
            }
          }
        },
        "required": ["name", "experiment", "title", "columns", "rows", "notes"],
        "additionalProperties": false
      }
    }
  },
  "required": ["schema", "name", "status", "provenance", "expectations", "tables"],
  "additionalProperties": false
})schema";

template <class E>
Json names_up_to(E last) {
  Json out = Json::array();
  for (int i = 0; i <= static_cast<int>(last); ++i) out.push_back(name_of(static_cast<E>(i)));
  return {{"enum", out}};
}

}  // namespace

Json result_schema() {
  Json out = Json::parse(kSchema);
  Json& properties = out["properties"];
  properties["schema"] = {{"const", kResultSchema}};
  properties["status"] = names_up_to(Status::kFailed);
  properties["expectations"]["items"]["properties"]["verdict"] = names_up_to(Verdict::kNotChecked);
  Json& column = properties["tables"]["items"]["properties"]["columns"]["items"]["properties"];
  column["kind"] = names_up_to(ColumnKind::kDerived);
  column["better"] = names_up_to(Better::kHigher);
  return out;
}

}  // namespace attnlab
