"""A recorded decision derived again: outcomes, reasons and prices."""
