"""Models behind OpenAI-compatible addresses: one client for all who ask one.

`configured(name)` finds an endpoint that whoever runs this copy has listed, `chat` asks it one thing, `chat_all` many.
Users import from here.
"""

from core.endpoints.chatting import RESERVED, ChatReply, ChatRequest, chat, chat_all
from core.endpoints.configuration import Endpoint, configured, names, parse_endpoints
from core.endpoints.embedding import embed
from core.endpoints.errors import EndpointError
from core.endpoints.parameters import check_model_parameters, model_parameters
from core.endpoints.spoken import spoken

__all__ = [
    "RESERVED",
    "ChatReply",
    "ChatRequest",
    "Endpoint",
    "EndpointError",
    "chat",
    "chat_all",
    "check_model_parameters",
    "configured",
    "embed",
    "model_parameters",
    "names",
    "parse_endpoints",
    "spoken",
]
