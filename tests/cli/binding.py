"""binding.py PORT ASKED: a server of Anthropic's format that binds thinking to what came before it.

PORT gets its port. Each reply thinks; the signature is made of the system prompt, the tools and the
messages before. A request that brings thinking back after another prefix is refused. ASKED gets
"refused" or "served N", with the number of thoughts that came back, for each request.

Source: Anthropic's documentation, "Preserved thinking".
"""
import hashlib
import http.server
import json
import sys


def plain(value):
    """The value without cache marks, which bind nothing."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if name != "cache_control"}
    return [plain(item) for item in value] if isinstance(value, list) else value


def signature(request, count):
    prefix = [request.get("system"), request.get("tools"), request["messages"][:count]]
    return hashlib.sha256(json.dumps(plain(prefix)).encode()).hexdigest()


def thoughts(request):
    """Where thinking came back: the number of messages before it, and its signature."""
    return [(index, block["signature"]) for index, message in enumerate(request["messages"])
            for block in message["content"] if block["type"] == "thinking"]


class Server(http.server.BaseHTTPRequestHandler):
    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = thoughts(request)
        bound = all(signed == signature(request, count) for count, signed in found)
        with open(sys.argv[2], "a") as asked:
            print(f"served {len(found)}" if bound else "refused", file=asked)
        if not bound:
            self.answer(400, "application/json", json.dumps({"type": "error", "error": {
                "type": "invalid_request_error", "message": "messages.1.content.0: Invalid `signature` "
                "in `thinking` block. The block is bound to a different conversation."}}).encode())
            return
        signed = signature(request, len(request["messages"]))
        events = [
            {"type": "message_start", "message": {"usage": {"input_tokens": 9}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "Hm."}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": signed}},
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "Reply."}},
            {"type": "content_block_stop", "index": 1},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"}]
        self.answer(200, "text/event-stream", b"".join(
            b"data: " + json.dumps(event).encode() + b"\n\n" for event in events))

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
with open(sys.argv[1], "w") as port:
    print(server.server_port, file=port)
server.serve_forever()
