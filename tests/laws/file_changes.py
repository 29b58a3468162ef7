"""
Random changes to the values in a jurisdiction's files: of prose and spelling, and of meaning.

A change is made in place. It raises `LookupError` when the files have nothing to change.
"""

from __future__ import annotations

import re
from copy import deepcopy
from datetime import date, timedelta
from decimal import Decimal

from written_meaning import CALCULATORS, DATED, PRODUCTS, RENEWAL, WHO

ZONES = ("Europe/Paris", "Asia/Kolkata", "UTC")


# -- the parts of the files


def entries(files):
    """The entries of all timelines in the *files* of a jurisdiction."""
    for timeline in timelines(files):
        yield from timeline


def timelines(files):
    for name in DATED:
        if name in files[WHO]:
            yield files[WHO][name]
    for check in files[WHO].get("checks", {}).values():
        if "max_age_days" in check:
            yield check["max_age_days"]
    for file in (RENEWAL, PRODUCTS):
        for parameter in files.get(file, {}).get("parameters", {}).values():
            yield parameter["timeline"]


def products_of(files):
    return files.get(PRODUCTS, {}).get("products", [])


def lists_of_rules(files):
    """The lists of rules: those of renewals, those of each product, and those of fundings."""
    tables = (files.get(RENEWAL, {}), *products_of(files))
    funding = files.get(PRODUCTS, {}).get("funding")
    return [table["rules"] for table in tables if "rules" in table] + [funding] * bool(funding)


def rules_of(files):
    return [rule for rules in lists_of_rules(files) for rule in rules]


# -- changes without meaning


PROSE = (
    "A text.",
    "Ein Text, in dem nichts steht.",
    "説明",
    'It\'s "said" \\ here: [x] # y',
    "£5 é",
)


def rephrase(files, random):
    """Replace everything that only people read, such as names, reasons, sources and examples."""
    who = files[WHO]
    who |= {"name": random.choice(PROSE), "owner": random.choice(PROSE)}
    who["review_by"] += timedelta(days=random.randint(-500, 500))
    for fact in who.get("facts", {}).values():
        fact["description"] = random.choice(PROSE)
    for place, labelled in enumerate([*who.get("facts", {}).values(), *parameters_of(files)]):
        labelled["label"] = f"label {place} of {who['code']}"
    for dropped in who.get("switch_off", ()):
        dropped["reason"] = random.choice(PROSE)
    decimal, group = random.choice((".,", ",.", (".", ""), (",", " ")))
    who["figures"] = {
        "decimal": decimal,
        "group": group,
        "money": random.choice(("{amount} coins", "§ {amount}")),
        "percent": random.choice(("{number} %", "{number}pc")),
        "date": random.choice(("{year}/{month}/{day}", "{day} {month} {year}")),
    }
    if random.random() < 0.3:
        del who["figures"]
    for entry in entries(files):
        entry["source"] = random.choice(PROSE)
    for rule in rules_of(files):
        named = random.choice((*re.findall(r"\{\w+\}", rule["reason"]), ""))
        rule |= {"reason": f"{random.choice(PROSE)} {named}", "source": random.choice(PROSE)}
    for product in products_of(files):
        product |= {"name": random.choice(PROSE), "description": random.choice(PROSE)}
    for file in (RENEWAL, PRODUCTS):
        replace_examples(files.get(file, {}), random)


def replace_examples(file, random):
    """Leave out some examples, rename and reorder the others, and change the typical deal."""
    examples = [example for example in file.get("examples", ()) if random.random() < 0.7]
    random.shuffle(examples)
    for place, example in enumerate(examples):
        example["name"] = f"{random.choice(PROSE)} {place}"
    if "examples" in file:
        file["examples"] = examples
    if "progress" in file.get("typical", {}):
        file["typical"]["progress"] = f"{random.randint(50, 99)}.5%"
    for survivor in file.get("survivors", ()):
        survivor["reason"] = random.choice(PROSE)


def respell(files, random):
    """Add zeros to percentages and amounts, and spaces and parentheses to expressions."""

    def longer(match):
        number = match[1] if "." in match[1] else f"{match[1]}."
        return f"{number}0%"

    for rule in rules_of(files):
        for key in {"require", "when"} & rule.keys():
            text = re.sub(r"\b([0-9]+(?:\.[0-9]{1,2})?)%", longer, rule[key])
            spaced = re.sub(" (and|or|[<>=!]+) ", r"   \1  ", text)
            rule[key] = random.choice((rule[key], text, spaced, f"( {spaced})", f"(({text}))"))
    for entry in entries(files):
        if re.fullmatch(r"[0-9]+(\.[0-9]{1,2})?%", str(entry["value"])):
            entry["value"] = re.sub(r"(.+)%", longer, entry["value"])
    for product in products_of(files):
        product["amounts"] = [re.sub(r"(.+)%", longer, share) for share in product["amounts"]]
        for kind in CALCULATORS:
            for key, setting in product[kind].items():
                if re.match("[A-Z]{3} [0-9]", str(setting)):
                    product[kind][key] = f"{setting}{'0' if '.' in setting else '.00'}"


def split(listed, place, random, *, default_from=None):
    """Split the entry at *place* of a list into two successive ones that say the same."""
    entry = listed[place]
    start = entry.get("from", default_from)
    ends = [entry.get("until")]
    if "value" in entry:
        ends += [following["from"] for following in listed[place + 1 : place + 2]]
    end = min((day for day in ends if day), default=start + timedelta(days=3_000))
    days = (end - start).days
    if days < 2:
        return
    at = start + timedelta(days=random.randint(1, days - 1))
    # In a timeline an entry holds until the next one begins, so `until` is optional.
    ending = {"until": at} if "value" not in entry or random.random() < 0.5 else {}
    listed[place : place + 1] = [{**entry, **ending}, {**deepcopy(entry), "from": at}]


def split_some(files, random):
    """Split some entries of timelines, rules, products and switched-off items in two."""
    for timeline in timelines(files):
        if random.random() < 0.5:
            split(timeline, random.randrange(len(timeline)), random)
    renewal = files.get(RENEWAL, {}).get("rules", [])
    if renewal and random.random() < 0.7:
        split(renewal, random.randrange(len(renewal)), random)
    products = products_of(files)
    for product in products:
        rules = product.get("rules", [])
        if rules and "until" not in product and random.random() < 0.3:
            split(rules, random.randrange(len(rules)), random, default_from=product["from"])
    undated = [
        place
        for place, product in enumerate(products)
        if not any({"from", "until"} & rule.keys() for rule in product.get("rules", ()))
    ]
    if undated and random.random() < 0.5:
        split(products, random.choice(undated), random)
    dropped = files[WHO].get("switch_off", [])
    if dropped:
        split(dropped, 0, random, default_from=date(2024, 1, 1))


# -- changes of meaning


def moved(value, random):
    """The *value* of a parameter, a range or a setting, one unit larger or smaller."""
    step = random.choice((1, -1))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + step
    if isinstance(value, date):
        return value + timedelta(days=step)
    number = re.search(r"[0-9]+(?:\.[0-9]+)?", value)
    if number is None:
        return value
    unit = Decimal(1).scaleb(Decimal(number[0]).as_tuple().exponent)
    return f"{value[: number.start()]}{Decimal(number[0]) + unit * step}{value[number.end() :]}"


def pick(items, random):
    """
    One of *items*.

    Raises:
        LookupError: there are none.
    """
    items = list(items)
    if not items:
        raise LookupError
    return random.choice(items)


def change_rounding(files, random):
    who = files[WHO]
    others = {"half_up", "half_even", "down", "up"} - {who.get("rounding")}
    who["rounding"] = random.choice(sorted(others))


def change_zone(files, random):
    files[WHO]["timezone"] = random.choice(ZONES)


def change_automated_decisioning(files, random):
    files[WHO]["automated_decisioning"] = not files[WHO].get("automated_decisioning", False)


def change_hours(files, random):
    entry = pick(files[WHO].get("offers_valid_hours", ()), random)
    entry["value"] = moved(entry["value"], random)


def change_days(files, random):
    entry = pick(files[WHO].get("recently_active_days", ()), random)
    entry["value"] = moved(entry["value"], random)


def change_greatest_age(files, random):
    checks = files[WHO].get("checks", {}).values()
    check = pick((check for check in checks if "max_age_days" in check), random)
    if random.random() < 0.3:
        del check["max_age_days"]
    else:
        entry = pick(check["max_age_days"], random)
        entry["value"] = moved(entry["value"], random)


def change_range(files, random):
    facts = [fact for fact in files[WHO].get("facts", {}).values() if "maximum" in fact]
    fact = pick(facts, random)
    key = random.choice(("minimum", "maximum"))
    fact[key] = moved(fact[key], random)


def change_options(files, random):
    facts = [fact for fact in files[WHO].get("facts", {}).values() if "options" in fact]
    options = pick(facts, random)["options"]
    if random.random() < 0.5:
        options.append("Another")
    else:
        options.reverse()


def change_switched_off(files, random):
    dropped = files[WHO].get("switch_off", [])
    place = random.randrange(len(pick([dropped] if dropped else [], random)))
    if random.random() < 0.5:
        dropped[place]["until"] = date(2026, 5, 15)
    else:
        del dropped[place]


def parameters_of(files):
    for file in (RENEWAL, PRODUCTS):
        yield from files.get(file, {}).get("parameters", {}).values()


def change_parameter(files, random):
    entry = pick(pick(parameters_of(files), random)["timeline"], random)
    entry["value"] = moved(entry["value"], random)


def change_dates_of_parameter(files, random):
    later = [entry for parameter in parameters_of(files) for entry in parameter["timeline"][1:]]
    pick(later, random)["from"] += timedelta(days=random.choice((-40, -1, 1, 40)))


def change_order_of_rules(files, random):
    rules = pick((rules for rules in lists_of_rules(files) if len(rules) > 1), random)
    place = random.randrange(len(rules) - 1)
    rules[place : place + 2] = rules[place + 1], rules[place]


def drop_rule(files, random):
    rules = pick((rules for rules in lists_of_rules(files) if len(rules) > 1), random)
    del rules[random.randrange(len(rules))]


def change_id(files, random):
    pick(rules_of(files), random)["id"] += "-2"


def change_code(files, random):
    pick(rules_of(files), random)["code"] += "X"


def change_otherwise(files, random):
    rule = pick(rules_of(files), random)
    rule["otherwise"] = "decline" if rule.get("otherwise") == "refer" else "refer"


def drop_when(files, random):
    del pick((rule for rule in rules_of(files) if "when" in rule), random)["when"]


def change_threshold(files, random):
    rule = pick((rule for rule in rules_of(files) if re.search("[0-9]", bare(rule))), random)
    numbers = list(re.finditer(r"\b[0-9]+(\.[0-9]+)?(?![0-9a-z_])", rule["require"]))
    number = pick(numbers, random)
    text = rule["require"]
    rule["require"] = f"{text[: number.start()]}{moved(number[0], random)}{text[number.end() :]}"


def bare(rule):
    """The `require` of a rule without names, which may contain digits."""
    return re.sub(r"[a-z_][a-z0-9_]*", "", rule["require"])


def change_comparison(files, random):
    rule = pick((rule for rule in rules_of(files) if re.search("[<>]=?", rule["require"])), random)
    opposite = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
    rule["require"] = re.sub("[<>]=?", lambda match: opposite[match[0]], rule["require"], count=1)


def change_dates_of_rule(files, random):
    rule = pick(files.get(RENEWAL, {}).get("rules", ()), random)
    if random.random() < 0.5 and "until" not in rule:
        rule["until"] = date(2026, 8, random.randint(1, 28))
    else:
        rule["from"] += timedelta(days=random.choice((-10, 1, 10, 100)))


def change_order_of_products(files, random):
    products = products_of(files)
    place = random.randrange(len(pick([products] if len(products) > 1 else [], random)) - 1)
    products[place : place + 2] = products[place + 1], products[place]


def change_key(files, random):
    pick(products_of(files), random)["key"] += "_2"


def change_mechanism(files, random):
    pick(products_of(files), random)["repayment_mechanism"] += "_2"


def change_amounts(files, random):
    amounts = pick(products_of(files), random)["amounts"]
    place = random.randrange(len(amounts))
    if random.random() < 0.5 and len(amounts) > 1:
        del amounts[place]
    else:
        amounts[place] = moved(amounts[place], random)


def change_setting(files, random):
    product = pick(products_of(files), random)
    table, key = pick(_settings([product[kind] for kind in CALCULATORS]), random)
    table[key] = moved(table[key], random) if key != "calculator" else f"{table[key]}_2"


def _settings(value):
    """The table or array and the key of each single value in the settings of calculators."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs:
        if isinstance(part, dict | list):
            yield from _settings(part)
        else:
            yield value, key


def change_dates_of_product(files, random):
    product = pick(products_of(files), random)
    if random.random() < 0.5:
        product["until"] = date(2026, 8, random.randint(1, 28))
    else:
        product["from"] += timedelta(days=random.choice((1, 10, 100)))


CHANGES = (
    change_rounding,
    change_zone,
    change_automated_decisioning,
    change_hours,
    change_days,
    change_greatest_age,
    change_range,
    change_options,
    change_switched_off,
    change_parameter,
    change_dates_of_parameter,
    change_order_of_rules,
    drop_rule,
    change_id,
    change_code,
    change_otherwise,
    drop_when,
    change_threshold,
    change_comparison,
    change_dates_of_rule,
    change_order_of_products,
    change_key,
    change_mechanism,
    change_amounts,
    change_setting,
    change_dates_of_product,
)
