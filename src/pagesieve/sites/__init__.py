"""Knowledge of sites: a library of their pages, templates and lists."""
