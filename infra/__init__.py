"""What the gateway and the workers share: settings, logging, tracing and start-up; imports nothing of ours."""
