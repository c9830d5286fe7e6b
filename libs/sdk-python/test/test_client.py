"""The client, against a server that fails as it is told to."""

import unittest
from unittest import mock

from server import Server, answer, endless, hang, refuse, reset
from svc_sdk import ApiConnectionError, ApiError, SvcClient, Upload
from svc_sdk.errors import retry_after_of
from svc_sdk.retry import delay_before

MESSAGE = {"sessionId": "s", "to": "+4915112345678", "text": "hello"}
QUEUED = answer(200, {"status": "QUEUED", "jobId": "j"})
NOW = {"Retry-After": "0"}


def page(items, cursor, **more):
    return answer(200, {"items": items, "nextCursor": cursor, **more})


class WithServer(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)
        # The waits between attempts are noted and not waited.
        self.waits = []
        patch = mock.patch("svc_sdk.caller.sleep", self.waits.append)
        patch.start()
        self.addCleanup(patch.stop)

    def client(self, *steps, **options):
        self.server.steps = list(steps)
        return SvcClient("the-key", f"{self.server.origin}/", **options)

    @property
    def asked(self):
        return self.server.asked

    def refused(self, call):
        with self.assertRaises(ApiError) as caught:
            call()
        return caught.exception

    def unanswered(self, call):
        with self.assertRaises(ApiConnectionError) as caught:
            call()
        return caught.exception


class ACall(WithServer):
    def test_goes_with_the_key_its_query_and_its_body(self):
        self.client(QUEUED).messages.send({**MESSAGE, "clientMessageId": "order-1"})
        self.client(page([], None)).messages.list(session_id="a b", limit=5).page()
        self.client(answer(200, {})).sessions.get("a/b")
        send, listed, get = self.asked
        self.assertEqual((send.method, send.url), ("POST", "/v1/messages"))
        self.assertEqual(send.headers["authorization"], "Bearer the-key")
        self.assertEqual(send.headers["content-type"], "application/json")
        self.assertEqual(send.json(), {**MESSAGE, "clientMessageId": "order-1"})
        self.assertEqual((listed.url, get.url), ("/v1/messages?limit=5&sessionId=a+b", "/v1/sessions/a%2Fb"))

    def test_of_a_file_sends_the_form_and_gives_the_file_back(self):
        self.client(answer(201, {"id": "m"})).media.upload(Upload(b"GIF89a", 'a"b.gif', "image/gif"))
        (upload,) = self.asked
        self.assertRegex(upload.headers["content-type"], r"^multipart/form-data; boundary=\w+$")
        self.assertIn(b'name="file"; filename="a_b.gif"\r\nContent-Type: image/gif\r\n\r\nGIF89a\r\n--', upload.body)
        self.assertEqual(self.client(answer(200, b"bytes")).messages.get_media("m"), b"bytes")

    def test_that_is_refused_says_why(self):
        error = self.refused(lambda: self.client(refuse(404, "SESSION_NOT_FOUND")).sessions.get("x"))
        self.assertEqual(
            (error.status, error.code, str(error), error.request_id, error.meta),
            (404, "SESSION_NOT_FOUND", "It is SESSION_NOT_FOUND.", "r-1", {"a": 1}),
        )
        self.assertEqual(len(self.asked), 1)

    def test_that_something_in_between_answers_is_an_error_all_the_same(self):
        for body in (b"<html>", b"[]"):
            proxy = answer(413, body, {"x-request-id": "r-9"})
            error = self.refused(lambda: self.client(proxy).sessions.get("x"))
            self.assertEqual((error.code, error.request_id, error.meta), ("INTERNAL", "r-9", {}))

    def test_follows_nobody_elsewhere_the_key_stays_here(self):
        away = answer(302, headers={"Location": self.server.origin})
        self.unanswered(lambda: self.client(away, max_retries=0).sessions.get("x"))
        self.assertEqual(len(self.asked), 1)


class ACallThatFails(WithServer):
    def test_is_made_again_the_send_under_the_same_client_message_id(self):
        for step in (
            reset,
            *(refuse(status, "UPSTREAM_UNAVAILABLE", NOW) for status in (502, 503, 504)),
            refuse(429, "RATE_LIMITED", NOW),
        ):
            self.asked.clear()
            self.client(step, step, QUEUED).messages.send(MESSAGE)
            ids = [asked.json()["clientMessageId"] for asked in self.asked]
            self.assertEqual((len(ids), len(set(ids))), (3, 1))
            self.assertRegex(ids[0], r"^[0-9a-f-]{36}$")

    def test_is_not_made_again_where_twice_is_not_the_same_as_once(self):
        create = lambda *steps: self.client(*steps).sessions.create({"name": "x"})
        self.unanswered(lambda: create(reset))
        self.refused(lambda: create(refuse(503, "UPSTREAM_UNAVAILABLE")))
        self.assertEqual(len(self.asked), 2)
        # A call that was refused for its rate has not been carried out.
        create(refuse(429, "RATE_LIMITED", NOW), answer(201, {}))
        self.assertEqual(len(self.asked), 4)

    def test_is_not_made_again_where_each_call_makes_a_key_or_a_secret_anew(self):
        put = lambda body, *steps: self.client(*steps).sessions.put_external_config("s", {"enabled": True, **body})
        for body in ({"mintApiKey": True}, {"rotateSecret": True}, {"mintApiKey": True, "rotateSecret": False}):
            self.unanswered(lambda: put(body, reset, answer(200, {})))
        self.assertEqual(len(self.asked), 3)
        put({"mintApiKey": False}, reset, answer(200, {}))
        self.assertEqual(len(self.asked), 5)

    def test_of_a_deletion_is_done_where_its_repeat_finds_nothing_any_more(self):
        gone = refuse(404, "SESSION_NOT_FOUND")
        for lost in (reset, refuse(504, "UPSTREAM_TIMEOUT", NOW)):
            self.assertIsNone(self.client(lost, gone).sessions.delete("s"))
        limited = refuse(429, "RATE_LIMITED", NOW)
        for steps in ((gone,), (limited, gone), (reset, refuse(404, "NOT_FOUND"))):
            self.assertEqual(self.refused(lambda: self.client(*steps).sessions.delete("s")).status, 404)
        self.refused(lambda: self.client(reset, gone).sessions.get("s"))

    def test_does_not_come_back_earlier_than_it_was_asked_to(self):
        self.client(refuse(429, "RATE_LIMITED", {"Retry-After": "7"}), answer(200, {})).sessions.get("x")
        (wait,) = self.waits
        self.assertGreaterEqual(wait, 7)
        self.assertLess(wait, 7.3)

    def test_does_not_wait_for_a_daily_limit(self):
        limit = refuse(429, "RATE_LIMITED", {"Retry-After": "3600"})
        self.assertEqual(self.refused(lambda: self.client(limit).messages.send(MESSAGE)).retry_after, 3600)
        self.assertEqual((len(self.asked), self.waits), (1, []))

    def test_gives_up_after_so_many_times_each_wait_about_twice_the_one_before(self):
        self.unanswered(lambda: self.client(reset).sessions.get("x"))
        self.assertEqual(len(self.asked), 4)
        for wait, longest in zip(self.waits, (0.25, 0.5, 1)):
            self.assertTrue(longest / 2 <= wait <= longest)
        self.unanswered(lambda: self.client(reset, max_retries=0).sessions.get("x"))
        self.assertEqual(len(self.asked), 5)

    def test_has_only_so_much_time_also_for_an_answer_that_does_not_end(self):
        for step in (hang, endless):
            error = self.unanswered(lambda: self.client(step, timeout=0.1, max_retries=0).sessions.get("x"))
            self.assertTrue(error.timed_out)


class AList(WithServer):
    def test_is_gone_through_page_after_page_as_one_comes_to_them(self):
        items = iter(self.client(page([1, 2], "c1"), page([], "c2"), page([3], None)).messages.list(limit=2))
        self.assertEqual(self.asked, [])
        self.assertEqual([next(items), next(items)], [1, 2])
        self.assertEqual(len(self.asked), 1)
        self.assertEqual(list(items), [3])
        self.assertEqual(
            [asked.url for asked in self.asked],
            ["/v1/messages?limit=2", "/v1/messages?limit=2&before=c1", "/v1/messages?limit=2&before=c2"],
        )

    def test_has_a_first_page(self):
        first = self.client(page([1, 2], "c")).messages.list().page()
        self.assertEqual((first.items, first.next_cursor, len(self.asked)), ([1, 2], "c", 1))

    def test_that_is_a_log_ends_where_there_is_no_more_yet(self):
        log = self.client(page([1], "c1", more=True), page([2], "c2", more=False)).events.read_log()
        self.assertEqual(list(log), [1, 2])
        self.assertEqual(self.asked[1].url, "/v1/events?after=c1")


class TheRest(unittest.TestCase):
    def test_a_client_without_key_or_address_is_not_made(self):
        with mock.patch.dict("os.environ", clear=True):
            self.assertRaisesRegex(ValueError, "SVC_API_KEY", SvcClient, base_url="http://127.0.0.1:1")
            self.assertRaisesRegex(ValueError, "SVC_BASE_URL", SvcClient, "k")

    def test_a_time_to_come_back_is_seconds_or_a_date(self):
        date = "Wed, 21 Oct 2015 07:28:00 GMT"
        self.assertEqual(retry_after_of("12", 0), 12)
        self.assertEqual(retry_after_of(date, 1_445_412_470), 10)
        self.assertEqual(retry_after_of(date, 1_445_412_490), 0)
        for nothing in (None, "", "soon", "٣"):
            self.assertIsNone(retry_after_of(nothing, 0))

    def test_no_wait_is_longer_than_eight_seconds_but_where_it_was_asked_for(self):
        for again in (5, 20):
            self.assertLessEqual(delay_before(ApiConnectionError("x"), again, True), 8)
        self.assertIsNone(delay_before(ApiError(400, "VALIDATION_FAILED", "x"), 0, True))


if __name__ == "__main__":
    unittest.main()
