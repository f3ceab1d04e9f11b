"""What every stage is made of: settings, files, tables, its command."""
