# Written by scripts/generate.py from _gateway_async.py. Do not edit.
"""x"""
