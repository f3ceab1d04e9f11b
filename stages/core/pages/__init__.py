"""What the pages of studies are built of: figures, tables, charts."""
