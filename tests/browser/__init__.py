"""The pages in a browser: `make browser`. Without playwright or Chromium they are skipped, with a sentence."""
