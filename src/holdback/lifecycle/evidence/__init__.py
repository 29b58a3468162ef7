"""What checks found out about a merchant: the results, the records of them, and which count."""
