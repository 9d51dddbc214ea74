from core.models.audit import AuditEvent
from core.models.pulse import Pulse
from core.models.run import Run

__all__ = ["AuditEvent", "Pulse", "Run"]
