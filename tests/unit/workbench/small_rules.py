"""A few facts with short ranges, and rules about them: few enough deals to look at every one."""

from __future__ import annotations

from hypothesis import strategies as st

from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Parameter, Type, check, parse

PERCENT = Type(Kind.PERCENT)
HALF = 500_000
FACTS = (
    Fact(name="progress", type=PERCENT, low=HALF - 2, high=HALF + 3, rounded_down=True),
    Fact(name="a", type=Type(Kind.COUNT), low=0, high=4),
    Fact(name="b", type=Type(Kind.COUNT), low=-2, high=2),
    Fact(name="t", type=Type(Kind.TEXT, options=("P", "Q", "R", "S")), low=0, high=3),
    Fact(name="f", type=Type(Kind.FLAG), low=0, high=1),
    Fact(name="m", type=Type(Kind.MONEY, Currency.of("GBP")), low=0, high=10**6),
    Fact(name="d", type=Type(Kind.DAYS), low=0, high=100),
    Fact(name="r", type=Type(Kind.RATIO), low=0, high=10**7),
    Fact(name="on", type=Type(Kind.DATE), low=1, high=10**6),
)
CATALOGUE = Catalogue(
    facts=FACTS,
    parameters={
        "three": Parameter(name="three", type=Type(Kind.COUNT), number=3),
        "allowed": Parameter(name="allowed", type=Type(Kind.FLAG), number=1),
    },
    currency=Currency.of("GBP"),
)
COMPARED = ("==", "!=", "<", "<=", ">", ">=")


def checked(text):
    return check(parse(text), CATALOGUE, Kind.FLAG)


def comparison(name, low, high):
    numbers = st.one_of(
        st.integers(low, high).map(str), st.just("three") if low >= 0 else st.nothing()
    )
    return st.one_of(
        st.builds("{} {} {}".format, st.just(name), st.sampled_from(COMPARED), numbers),
        st.builds("{1} {2} {0}".format, st.just(name), numbers, st.sampled_from(COMPARED)),
        st.lists(
            numbers.filter(lambda each: each != "three"), min_size=1, max_size=3, unique=True
        ).map(lambda each: f"{name} in [{', '.join(each)}]"),
    )


ATOMS = st.one_of(
    comparison("a", 0, 4),
    comparison("b", -2, 2),
    st.builds('t {} "{}"'.format, st.sampled_from(("==", "!=")), st.sampled_from("PQRS")),
    st.lists(st.sampled_from("PQRS"), min_size=1, max_size=3, unique=True).map(
        lambda each: "t in [{}]".format(", ".join(f'"{text}"' for text in each))
    ),
    st.builds(
        "progress {} {}%".format,
        st.sampled_from((">=", "<")),
        st.sampled_from(("49.9999", "50", "50.0001", "50.0002")),
    ),
    st.sampled_from(["f", "allowed", "not f"]),
)
RULES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({}) and ({})".format, inner, inner),
        st.builds("({}) or ({})".format, inner, inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=3,
)
