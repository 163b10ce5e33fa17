"""Where paths meet: branches, the fixpoint of a loop, lists and flags that paths carry."""
