"""The policy of a jurisdiction, in words, for people who approve it."""
