"""errorbar as strangers get it: an archive and a wheel, installed into clean environments outside the checkout."""
