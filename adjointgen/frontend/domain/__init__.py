"""What a name can stand for while a program is lowered: the abstract values."""
