"""What attnlab prints as JSON follows the schemas that it prints, and they refuse what it refuses."""

import json
import unittest

from jsonschema import Draft202012Validator

from support import SOURCE, AttnlabTest, strict_json

VARIANCE = {"experiment": "variance", "d": [4, 16], "samples": 100, "title": "Дисперсия"}
ENTROPY = {"experiment": "entropy", "keys": "4:16:x2", "trials": 50}
COST = {"experiment": "cost", "n": [16], "expect": [{"n": 16, "ratio": {"min": 0}, "crossover_n": 1536}]}


class Schema(AttnlabTest):
    def validator(self, what):
        schema = strict_json(self.attnlab("schema", what).stdout)
        self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        Draft202012Validator.check_schema(schema)
        return Draft202012Validator(schema)

    def assert_valid(self, validator, document, name):
        errors = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(document)]
        self.assertEqual(errors, [], name)

    def test_every_document_is_a_valid_result(self):
        validator = self.validator("results")
        config = self.config(VARIANCE, ENTROPY, COST, VARIANCE)
        names = [row["name"] for table in self.result("list")["tables"] for row in table["rows"]]
        commands = [["list"], ["machine"], ["variance", "--samples", 100], ["entropy", "--d", "8"],
                    ["entropy", "--locate", 100], ["cost"], ["cost", "--dry-run"], ["run", config, "--dry-run"],
                    ["run", config], ["run", config, "--quick"], ["variance", "--max-memory", "0"],
                    *(["describe", name] for name in names)]
        for command in commands:
            with self.subTest(command):
                code = 4 if "--max-memory" in command else 0
                document = self.result(*command, code=code)
                self.assert_valid(validator, document, command)
                self.assertEqual(document["status"], "complete")
                for table in document["tables"]:
                    for row in table["rows"]:
                        self.assertEqual([key for key in row if key != "time_samples"],
                                         [column["name"] for column in table["columns"]])
        saved = strict_json((self.folder / "results/test/result.json").read_text())
        self.assert_valid(validator, saved, "result.json")
        self.assertEqual([t["name"] for t in saved["tables"] if t["experiment"] == "variance"][::2],
                         ["variance", "variance-2"])

    def test_the_schema_of_results_refuses_what_is_not_one(self):
        validator = self.validator("results")
        good = self.result("cost")
        self.assertTrue(validator.is_valid(good))
        for change in ({"schema": "attnlab-result/2"}, {"status": "done"}, {"more": 1}, {"tables": {}}):
            self.assertFalse(validator.is_valid({**good, **change}), change)
        del good["provenance"]["compiler"]
        self.assertFalse(validator.is_valid(good))

    def test_every_printed_config_is_valid_and_runs(self):
        validator = self.validator("configs")
        self.assertEqual(self.attnlab("schema").stdout, self.attnlab("schema", "configs").stdout)
        config = self.config(VARIANCE, ENTROPY, COST)
        commands = [["variance", "--samples", 50], ["entropy", "--d", "8:32:x2", "--scale", "none,0.5"], ["cost"],
                    ["cost", "--window", 64, "--D", 512, "--causal", "bottom-right"], ["run", config],
                    ["run", config, "--samples", 20, "--seed", 9], ["run", config, "--quick"]]
        for command in commands:
            with self.subTest(command):
                printed = self.attnlab(*command, "--print-config").stdout
                self.assert_valid(validator, strict_json(printed), command)
                again = self.attnlab("run", self.write("printed.json", printed), "--print-config").stdout
                self.assertEqual(again, printed)
                first = self.result(*command)
                second = self.result("run", self.write("printed.json", printed), "-o", self.folder / "again")
                self.assertEqual([t["rows"] for t in first["tables"]], [t["rows"] for t in second["tables"]])
        for path in (SOURCE / "configs").glob("*.json"):
            self.assert_valid(validator, strict_json(path.read_text()), path.name)

    def test_flags_win_over_config_and_config_over_default(self):
        config = self.config({"experiment": "entropy", "keys": 4, "seed": 7}, VARIANCE)
        printed = strict_json(self.attnlab("run", config, "--keys", "2,3", "--print-config").stdout)
        entropy, variance = printed["experiments"]
        self.assertEqual((entropy["keys"], entropy["seed"], entropy["d"]), ([2, 3], 7, [64]))
        self.assertEqual(variance["samples"], 100)
        done = self.attnlab("run", config, "--df", "1", "--ffn", "3", "--print-config", code=2)
        self.assert_mistake(done, "--df: 1 is too small", "--ffn: no experiment of the config has this parameter")

    def test_the_schema_of_configs_refuses_what_attnlab_refuses(self):
        validator = self.validator("configs")
        for change in ({"sampels": 1}, {"samples": 1}, {"samples": 1.5}, {"samples": "many"}, {"d": []}, {"d": [0]},
                       {"law": "nrmal"}, {"df": 2}, {"tied": "yes"}, {"seed": -1}, {"experiment": "varience"},
                       {"title": 3}, {"expect": {}}, {"expect": [{"variance": {"value": 1}}]}, {"output": "x"}, {"o": "x"}):
            config = {"name": "x", "experiments": [{**VARIANCE, **change}]}
            with self.subTest(change):
                self.assertFalse(validator.is_valid(config))
                self.attnlab("run", self.write("bad.json", json.dumps(config)), code=2)
        for config in ({}, {"name": "x"}, {"name": "x", "experiments": []}, {"name": ".x", "experiments": [COST]},
                       {"name": "x", "experiments": [COST], "seed": 1}):
            with self.subTest(config):
                self.assertFalse(validator.is_valid(config))
                self.attnlab("run", self.write("bad.json", json.dumps(config)), code=2)


if __name__ == "__main__":
    unittest.main()
