"""What the arms of a task are called where its models are not all tuned."""

ARMS = {"none": "pretrained", "pretrained": "tuned", "untrained": "random weights"}
