"""What is done before differentiation: operations kept, recognised, spelled out."""
