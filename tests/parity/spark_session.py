"""A session of Spark for the tests: in this process, quiet and small."""

from __future__ import annotations

from contextlib import contextmanager

from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",  # an instant without a time zone
    "spark.driver.host": "127.0.0.1",
}


@contextmanager
def session(name):
    """A session *name*, stopped at the end."""
    building = SparkSession.builder.master("local[2]").appName(name)
    for key, value in SETTINGS.items():
        building = building.config(key, value)
    started = building.getOrCreate()
    started.sparkContext.setLogLevel("ERROR")
    try:
        yield started
    finally:
        started.stop()
