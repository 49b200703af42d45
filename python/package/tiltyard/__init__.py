from tiltyard._native import Policy, Ticket
