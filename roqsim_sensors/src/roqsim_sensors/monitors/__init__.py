"""What watches over bodies: who touches whom, how close they come, how much power they draw, and who is told."""
