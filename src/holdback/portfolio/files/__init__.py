"""Files of deals: read, assessed in batches, and written."""
