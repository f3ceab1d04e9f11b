"""One module a page; its `PAGE` says what the page shows. The module's name is the page's file."""
