"""What draws the views in a browser: a file a view in `static/`, put together by `assets`."""
