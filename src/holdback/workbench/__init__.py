"""Tools for a risk team: checking, testing and comparing the files of jurisdictions.

Everything here takes jurisdictions that were read and returns values. The commands in `cli/` open
the files and print.

`lint.findings` yields what `holdback check` reports. `lint` itself looks at rules, parameters,
products and overlays, `example_lint` at the examples, `coverage` at the answers that no example
gives a rule, and `thresholds` at the sides of a threshold. `coverage_gaps` joins the last two,
because `holdback test` reports them as well.
"""
