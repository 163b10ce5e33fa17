"""From a recipe of derivatives to a finished program."""
