"""IR to IR: one pass per file, one public function each."""
