"""How a node joins: node and server prove to each other that they know the token; then the node gets certificates."""
import http.client
import json
import secrets
import socket
import ssl
from urllib.parse import urlsplit

from api import bearer, proof


class NotJoined(Exception):
    """Raised if the server refuses the node, or does not know the token."""


def ask(host, method, path, token, body=None, authority=None, headers=None):
    """Sends one request and returns (status, headers, bytes). If no certificate authority is given, the server's
    certificate is not checked."""
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
    """Fetches the server's certificate authority, which is trusted because the server knows the token (rancherd,
    pkg/cacerts)."""
    nonce = secrets.token_hex(16)
    status, headers, data = ask(host, "GET", "/v1-rancheros/cacerts", token, headers={"X-Cattle-Nonce": nonce})
    if status != 200:
        raise NotJoined(f"{host} answers {status}: {data.decode(errors='replace').strip()}")
    if headers.get("X-Cattle-Hash") != proof(token, nonce, data):
        raise NotJoined(f"{host} does not know the token")
    return data.decode()


def tell(server_url, path, token, member, authority=None):
    """Joins the cluster, or reports that this node is alive; returns the server's answer."""
    host = urlsplit(server_url).netloc or server_url
    status, _, data = ask(host, "POST", path, token, json.dumps(member), authority or authority_of(host, token))
    if status != 200:
        raise NotJoined(f"{host} answers {status}: {data.decode(errors='replace').strip()}")
    return json.loads(data)


#: The errors that a request can raise besides NotJoined.
PROBLEMS = (OSError, http.client.HTTPException, ValueError, socket.timeout)
