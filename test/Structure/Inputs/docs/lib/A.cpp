// See docs/b/c.md.
