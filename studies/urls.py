from __future__ import annotations

app_name = "studies"
urlpatterns: list = []
