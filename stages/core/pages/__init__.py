"""Parts of the pages of studies: figures, tables, charts."""
