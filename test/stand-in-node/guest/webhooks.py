"""The installer's webhooks, prepared and called as in console/webhooks.go."""
import base64
import re
import socket
import time
import urllib.error
import urllib.request

from config import at
from machine import interfaces
from network import address_of, card_of, said

EVENTS = ("STARTED", "SUCCEEDED", "FAILED")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE")
#: The number of retries after a timeout.
MORE_TRIES = 3


def prepared(config):
    """Returns the hooks with their templates filled in; raises ValueError if the installer would not start."""
    card = card_of(config)
    words = {"Hostname": at(config, "os.hostname"), "MACAddr": interfaces().get(card, {}).get("mac", ""),
             "IPAddrV4": address_of(card), "IPAddrV6": ""}

    def fill(text):
        return re.sub(r"\{\{\s*\.(\w+)\s*\}\}", lambda found: words.get(found[1], ""), text)

    hooks = []
    for hook in at(config, "install.webhooks", []):
        event, method = at(hook, "event"), at(hook, "method").upper()
        if event not in EVENTS:
            raise ValueError(f"unknown install event: {event}")
        if method not in METHODS:
            raise ValueError(f"unknown HTTP method: {method}")
        request = urllib.request.Request(fill(at(hook, "url")), method=method, data=fill(at(hook, "payload")).encode() or None)
        for name, values in at(hook, "headers", {}).items():
            request.add_header(name, ", ".join(values))
        if at(hook, "basicAuth.user") and at(hook, "basicAuth.password"):
            pair = f"{at(hook, 'basicAuth.user')}:{at(hook, 'basicAuth.password')}"
            request.add_header("Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}")
        hooks.append((event, request))
    return hooks


def ask(request):
    """Calls one hook; retries only after a timeout."""
    for left in range(MORE_TRIES, -1, -1):
        try:
            urllib.request.urlopen(request, timeout=15).close()
            return
        except (socket.timeout, urllib.error.URLError) as error:
            late = isinstance(error, socket.timeout) or isinstance(getattr(error, "reason", None), socket.timeout)
            if not late or left == 0:
                raise
            time.sleep(5)


def handle(hooks, event):
    """Calls the hooks of an event in order, up to the first that fails."""
    for own, request in hooks:
        if own != event:
            continue
        try:
            ask(request)
        except OSError as error:
            said(f"fail to handle webhook: {error}")
            return
