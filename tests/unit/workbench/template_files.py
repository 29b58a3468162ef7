"""The templates of a new jurisdiction, as the command `holdback new` reads them."""

from importlib import resources

from holdback.tools.workbench.new_jurisdiction import new_files


def read_template(name):
    return (resources.files("holdback.tools.workbench") / "templates" / name).read_text("utf-8")


def filled_in(code, parent, start):
    return new_files(code, parent, start, read_template)
