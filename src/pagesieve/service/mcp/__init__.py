"""Tools for agents over the Model Context Protocol, on standard input and output or over HTTP."""
