"""What people decide about a merchant, and what they know of it: referrals, holds, consents."""
