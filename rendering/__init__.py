"""Rulings, odds and simulations for people: text, Markdown, HTML, CSV and plots."""
