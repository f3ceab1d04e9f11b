"""The offline report: an overview, and one page for each stage that measured something.

A study's page is `page.py` in its room, which finds its own measures and draws its own figures and
tables (`NAME_page.py` is a further one). Every room's files are loaded.
"""
