"""The fault: It keeps the results of checks by merchant_id, and not by whom they are about."""

from attrs import evolve

from broken import approval_of_anybody

BREAKS = ("other applicants", "about-whom")


class Host(approval_of_anybody.Host):
    def of_anybody(self, merchant, people):
        checks = (
            evolve(
                record, about={name: people.get(name, old) for name, old in record.about.items()}
            )
            for record in merchant.checks
        )
        return {"checks": tuple(checks)}
