from __future__ import annotations

app_name = "clustering"
urlpatterns: list = []
