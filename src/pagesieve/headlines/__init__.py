"""Headlines, and catalogues: pages whose links give the titles of articles."""
