"""The offline report: an overview, and one page for each stage that measured something.

A stage's page is one module of `stages.report.pages`, which finds its own measures and draws its
own figures and tables. Every module there is loaded; a study is added by adding its module.
"""
