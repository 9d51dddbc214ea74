"""Every write to predictions, candidates and their runs."""

from prediction.services.batches import batch_for
from prediction.services.candidates import AddedCandidates, add_candidates, shortlist_study
from prediction.services.erasure import erase_participation
from prediction.services.files import ImportedPredictions, import_predictions
from prediction.services.hands import store_by_hand
from prediction.services.keeping import Kept, keep_guesses, keep_reply
from prediction.services.starting import compute_predictions, compute_report, start_predictions, start_report

__all__ = [
    "AddedCandidates",
    "ImportedPredictions",
    "Kept",
    "add_candidates",
    "batch_for",
    "compute_predictions",
    "compute_report",
    "erase_participation",
    "import_predictions",
    "keep_guesses",
    "keep_reply",
    "shortlist_study",
    "start_predictions",
    "start_report",
    "store_by_hand",
]
