"""Scripts of agents, run for real: `script` says what happens, `tools` does it, `writers` put it into a format."""
