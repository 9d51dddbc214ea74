from __future__ import annotations

app_name = "participant"
urlpatterns: list = []
