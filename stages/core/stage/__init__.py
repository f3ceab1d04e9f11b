"""Parts of every stage: settings, files, tables, the command."""
