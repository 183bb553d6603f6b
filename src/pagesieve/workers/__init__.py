"""Work in other processes: a pool for many jobs, and processes that read one page at a time and can be killed."""
