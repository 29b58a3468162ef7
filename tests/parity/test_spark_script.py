"""The script of the how-to on PySpark, in local mode; `test_spark.py` says how to run it."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from portfolio_script import make_files, printed, script

# Deprecations within PySpark and pandas are not ours to fix.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def spark():
    """The session of the how-to."""
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
    The script of the how-to prints the same on PySpark, with one line changed.
    """
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    _, shown = script()
    _java_works_in(spark, tmp_path)

    assert printed("PySpark", spark=spark) == shown


def _java_works_in(spark, folder):
    """Set the working folder of Java, which stays where it was started when Python moves."""
    hadoop = spark.sparkContext._jvm.org.apache.hadoop.fs
    files = hadoop.FileSystem.get(spark.sparkContext._jsc.hadoopConfiguration())
    files.setWorkingDirectory(hadoop.Path(str(folder)))
