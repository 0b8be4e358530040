"""Widgets that several rooms share: theme, style, figures as people read them."""
