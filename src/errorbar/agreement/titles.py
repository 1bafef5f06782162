"""What agreement coefficients are called where people read them."""

from __future__ import annotations

TITLES = {
    "observed": "observed agreement",
    "krippendorff": "Krippendorff's alpha",
    "fleiss": "Fleiss' kappa",
    "gwet": "Gwet's AC1",
    "bennett": "Bennett's S (PABAK)",
    "scott": "Scott's pi",
    "cohen": "Cohen's kappa",
}
