"""The verifier, by the vectors of the samples and of the SDK for TypeScript."""

import json
import pathlib
import unittest

from svc_sdk import WebhookRefused, sign_webhook, verify_webhook

SAMPLES = pathlib.Path(__file__).parents[2] / "sdk" / "examples" / "verify"
NOW = 1_700_000_000_000
SECRET = "whsec_short"
PAYLOAD = {"text": "Grüße 👋"}


def signed(body=None, now=NOW):
    headers, made = sign_webhook("message.received", "delivery-1", PAYLOAD, SECRET, now)
    return headers["X-Svc-Signature"], made if body is None else body


def outcome(header, body, secret=SECRET, now=NOW, **options):
    headers = header if isinstance(header, dict) else {"X-Svc-Signature": header}
    try:
        verify_webhook(body, headers, secret, now=now, **options)
        return "ok"
    except WebhookRefused as refusal:
        return refusal.reason


class VerifyWebhook(unittest.TestCase):
    def test_takes_and_refuses_what_the_vectors_say(self):
        for vector in json.loads((SAMPLES / "vectors.json").read_text("utf-8")):
            with self.subTest(vector["name"]):
                ask = lambda: outcome(vector["header"], vector["body"].encode(), vector["secrets"], vector["now"])
                if vector["secrets"] == [""]:
                    self.assertRaises(ValueError, ask)
                else:
                    self.assertEqual(ask() == "ok", vector["genuine"])

    def test_tells_event_delivery_id_payload_and_the_time_of_signing(self):
        header, body = signed()
        for raw in (body, body.decode(), bytearray(body), memoryview(body)):
            event = verify_webhook(raw, {"x-svc-signature": header}, SECRET, now=NOW)
            self.assertEqual(
                (event.event, event.delivery_id, event.payload, event.timestamp),
                ("message.received", "delivery-1", PAYLOAD, NOW),
            )

    def test_finds_the_header_by_its_alias_and_in_any_letter_case(self):
        header, body = signed()
        for headers in (
            {"X-SVC-SIGNATURE": header},
            {"x-webhook-signature": header},
            {"X-Svc-Signature": "", "X-Webhook-Signature": header},
            {"X-Svc-Signature": header.replace(",", ", ")},
            {"X-Svc-Signature": f"{header},v2=abc"},
            {"X-Svc-Signature": ",".join(reversed(header.split(",")))},
        ):
            self.assertEqual(outcome(headers, body), "ok")

    def test_names_the_reason_of_a_refusal(self):
        header, body = signed()
        v1 = header.split(",v1=")[1]
        for reason, wrong in (
            ("missing-signature", {}),
            ("missing-signature", ""),
            ("malformed-signature", "nonsense"),
            ("malformed-signature", f"t=-1,v1={v1}"),
            ("malformed-signature", f"t=١٢٣,v1={v1}"),
            ("malformed-signature", f"t={'9' * 400},v1={v1}"),
            ("malformed-signature", f"T={NOW},V1={v1}"),
            ("malformed-signature", f"{header},t={NOW}"),
            ("timestamp-outside-tolerance", f"t={NOW // 1000},v1={v1}"),
            ("signature-mismatch", f"t=0{NOW},v1={v1}"),
            ("signature-mismatch", f"t={NOW},v1={v1.upper()}"),
            ("signature-mismatch", f"t={NOW},v1={'é' * 32}"),
            ("signature-mismatch", f"t={NOW},v1=\udc00"),
        ):
            self.assertEqual(outcome(wrong, body), reason)
        for parsed in ({}, json.loads(body), None, 7):
            self.assertEqual(outcome(header, parsed), "body-not-raw")

    def test_says_that_what_was_signed_is_no_delivery(self):
        import hashlib
        import hmac

        for body in (
            *(b"no JSON", b"", b"null", b"[]", b"\xff\xfe", b"[" * 100_000),
            *(b'{"event":1,"deliveryId":"d","payload":{}}', b'{"event":"e","deliveryId":"d","payload":[]}'),
        ):
            v1 = hmac.new(SECRET.encode(), f"{NOW}.".encode() + body, hashlib.sha256).hexdigest()
            self.assertEqual(outcome(f"t={NOW},v1={v1}", body), "malformed-body")

    def test_has_the_tolerance_that_the_receiver_says_and_refuses_where_it_is_no_number(self):
        header, body = signed()
        self.assertEqual(outcome(header, body, now=NOW + 600_000, tolerance_ms=600_000), "ok")
        self.assertEqual(outcome(header, body, now=NOW + 1, tolerance_ms=0), "timestamp-outside-tolerance")
        for options in ({"tolerance_ms": float("nan")}, {"now": float("nan")}):
            self.assertEqual(outcome(header, body, **options), "timestamp-outside-tolerance")
        self.assertEqual(outcome(signed(now=None)[0], body, now=None), "ok")

    def test_raises_without_a_secret(self):
        header, body = signed()
        for secret in ("", [], [""], ["one", ""], None, [None]):
            self.assertRaises(ValueError, verify_webhook, body, {"x-svc-signature": header}, secret)

    def test_signs_with_every_header_of_a_delivery(self):
        headers, _ = sign_webhook("message.sent", "d", {}, SECRET, NOW)
        self.assertEqual(headers["User-Agent"], "Svc-Webhook/1")
        for name in ("Event", "Delivery-Id", "Timestamp", "Signature"):
            self.assertEqual(headers[f"X-Svc-{name}"], headers[f"X-Webhook-{name}"])


if __name__ == "__main__":
    unittest.main()
