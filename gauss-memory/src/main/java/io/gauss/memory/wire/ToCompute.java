package io.gauss.memory.wire;

/** A message to a compute node: from a page's home, or from another compute node. */
public sealed interface ToCompute extends PageMessage permits FromHome, FromHolder {}
