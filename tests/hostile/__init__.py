"""Players that break, in every sandbox. A package, so that its tests share their referees."""
