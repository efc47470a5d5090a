"""What stands on the platform: each folder has its command, computing and report; none imports another."""
