"""Tools for risk teams and analysts; a service that embeds the engine imports none of them."""
