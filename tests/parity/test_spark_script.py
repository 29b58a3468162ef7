"""The script of the how-to on PySpark, in local mode; `test_spark.py` says how to run it."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from portfolio_script import make_files, printed, script

# What PySpark and pandas will change some day is their own affair.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def spark():
    """The session that the page speaks of."""
    from pyspark.sql import SparkSession

    building = SparkSession.builder.master("local[2]").appName("script")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
    }
    for key, value in settings.items():
        building = building.config(key, value)
    session = building.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def test_the_script_prints_the_same(spark, tmp_path, monkeypatch):
    """
    "The same script runs on pandas, DuckDB and PySpark with one line changed, shown in the docs and
    run in CI."
    """
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    _, shown = script()
    _java_works_in(spark, tmp_path)

    assert printed("PySpark", spark=spark) == shown


def _java_works_in(spark, folder):
    """Java takes the folder in which it was started for the one it works in, wherever Python is by now."""
    hadoop = spark.sparkContext._jvm.org.apache.hadoop.fs
    files = hadoop.FileSystem.get(spark.sparkContext._jsc.hadoopConfiguration())
    files.setWorkingDirectory(hadoop.Path(str(folder)))
