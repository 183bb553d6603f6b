"""Getting pages from the network, through the guard."""
