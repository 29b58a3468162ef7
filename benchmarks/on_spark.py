"""A million deals in Spark: SQL by hand and holdback, on frames in memory, to the `noop` sink.

`batch.py` describes what is measured and the ratios to reach.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import frames_by_hand
import pyarrow as pa
import ten_jurisdictions
from pyspark.sql import SparkSession
from ratios import Contender, at_most
from right_answers import ANSWER, check_masks
from setting import THREADS, Group, Row, Setting

SPARK = "Spark SQL by hand"
ON_SPARK, ON_SPARK_KNOWN = "holdback on PySpark", "holdback on PySpark, no unknowns"
PLANNED = "holdback on PySpark, assessed beforehand"
ONE, TEN = "holdback on PySpark, one jurisdiction", "holdback on PySpark, ten jurisdictions"


def spark_session() -> SparkSession:
    """Return a session of Spark on this machine that logs little."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(f"local[{THREADS}]").appName("benchmarks")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        # as many partitions of a million deals, and no more than the threads can do something with
        "spark.sql.execution.arrow.maxRecordsPerBatch": "125000",
        "spark.log.level": "ERROR",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def to_nothing(frame: Any) -> None:
    """Compute every row of *frame* and keep none."""
    frame.write.format("noop").mode("overwrite").save()


def held(table: pa.Table) -> Any:
    """Return *table* as a frame that Spark holds in memory."""
    frame = spark_session().createDataFrame(table).cache()
    frame.count()
    return frame


def contenders(setting: Setting) -> Iterable[Contender]:
    """Spark SQL by hand and ours, on frames that Spark holds in memory."""
    million, session = setting.million, spark_session()
    held(million.plain(exact=False, unknown=False)).createOrReplaceTempView("plain")

    def by_hand() -> Any:
        return session.sql(frames_by_hand.sql("plain"))

    answer = by_hand().toArrow()
    check_masks(answer["failing"], answer["eligible"], million)
    yield Contender(SPARK, lambda: to_nothing(by_hand()), million.count)
    sinks = {
        "arrow": to_arrow,
        "sink": lambda frame: to_nothing(frame.select(*ANSWER)),
    }
    hidden, known = held(million.prepared(unknown=True)), held(million.prepared(unknown=False))
    yield setting.ours(ON_SPARK, hidden, unknown=True, **sinks)
    yield setting.ours(ON_SPARK_KNOWN, known, unknown=False, **sinks)
    yield setting.ours_again(PLANNED, hidden, unknown=True, **sinks)


def to_arrow(frame: Any) -> pa.Table:
    """The answer in *frame* as an Arrow table."""
    return frame.select(*ANSWER).toArrow()


def contenders_of_jurisdictions(setting: Setting) -> Iterable[Contender]:
    """The deals of one and of ten jurisdictions, on frames that Spark holds in memory."""
    return ten_jurisdictions.contenders(
        (ONE, TEN),
        setting.million.count,
        held,
        to_arrow,
        lambda frame: to_nothing(frame.select(*ANSWER)),
    )


GROUPS = (
    Group(
        "Spark, to its noop sink",
        contenders,
        (
            Row(ON_SPARK, SPARK, at_most(1.5)),
            Row(ON_SPARK_KNOWN, SPARK),
            Row(PLANNED, SPARK),
        ),
    ),
    Group(
        "Ten jurisdictions on Spark, to its noop sink",
        contenders_of_jurisdictions,
        (Row(TEN, ONE, at_most(3)),),
    ),
)
