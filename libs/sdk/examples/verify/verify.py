import hashlib
import hmac
import re
import time


def is_genuine(body, header, secrets, now=None):
    """Says whether the gateway has signed this body. `header` is X-Svc-Signature, `body` the bytes as they arrived;
    after a rotation `secrets` has the new secret and the old one."""
    fields = re.fullmatch(r"t=([0-9]{1,15}),v1=([0-9a-f]{64})", header)
    now = time.time() * 1000 if now is None else now
    if not fields or abs(now - int(fields[1])) > 300_000:  # five minutes, in milliseconds
        return False
    signed = fields[1].encode() + b"." + body
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets if secret]
    return any(hmac.compare_digest(one, fields[2]) for one in expected)
