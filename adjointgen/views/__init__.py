"""Views: the IR as listings, tables, drawings and one page that shows all of it side by side."""
