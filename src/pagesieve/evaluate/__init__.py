"""How good and how fast Pagesieve is, side by side with its peers on labelled pages."""
