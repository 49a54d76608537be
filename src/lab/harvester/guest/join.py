"""How a node joins: it and the server prove to each other that they know the token, then it gets what it needs."""
import http.client
import json
import secrets
import socket
import ssl
from urllib.parse import urlsplit

from api import bearer, proof


class NotJoined(Exception):
    """The server refuses, or it does not know the token."""


def ask(host, method, path, token, body=None, authority=None, headers=None):
    """Sends one request; without an authority, the server's certificate is not checked. Returns (status, headers,
    bytes)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authority is None:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        context.load_verify_locations(cadata=authority)
    connection = http.client.HTTPSConnection(host, timeout=10, context=context)
    try:
        connection.request(method, path, body, {"Authorization": bearer(token), **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def authority_of(host, token):
    """The server's certificate authority, trusted because the server knows the token (rancherd, pkg/cacerts)."""
    nonce = secrets.token_hex(16)
    status, headers, data = ask(host, "GET", "/v1-rancheros/cacerts", token, headers={"X-Cattle-Nonce": nonce})
    if status != 200:
        raise NotJoined(f"{host} answers {status}: {data.decode(errors='replace').strip()}")
    if headers.get("X-Cattle-Hash") != proof(token, nonce, data):
        raise NotJoined(f"{host} does not know the token")
    return data.decode()


def tell(server_url, path, token, member, authority=None):
    """Joins, or reports that this node is alive; returns the server's answer."""
    host = urlsplit(server_url).netloc or server_url
    status, _, data = ask(host, "POST", path, token, json.dumps(member), authority or authority_of(host, token))
    if status != 200:
        raise NotJoined(f"{host} answers {status}: {data.decode(errors='replace').strip()}")
    return json.loads(data)


#: Errors that a request can fail with, besides NotJoined.
PROBLEMS = (OSError, http.client.HTTPException, ValueError, socket.timeout)
