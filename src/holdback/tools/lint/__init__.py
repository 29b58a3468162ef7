"""What is valid in a file and probably not meant, and what no example shows.

`lint.findings` yields what `holdback check` reports. `lint` itself looks at rules, parameters,
products and overlays, `example_lint` at the examples, `coverage` at the answers that no example
gives a rule, `thresholds` at the sides of a threshold, and `switch_off_gaps` at what a child drops.
`coverage_gaps` joins the last three, because `holdback test` reports them as well.
"""
