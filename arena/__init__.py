"""The tournament: protocol, referee, schedule, ratings, reports."""
