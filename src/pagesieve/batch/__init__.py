"""Many pages at once: sources cut into shards, shards run by processes or a cluster, results in files."""
