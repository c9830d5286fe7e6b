// An Express 5 receiver. `express.raw` keeps the bytes: it must come before any `express.json()`.
const express = require('express');
const { verifyWebhook } = require('@svc/sdk');

/** `handle` gets each genuine event; keep `deliveryId`s, the same delivery may come again. */
exports.receiver = (secret, handle) => {
  const app = express();
  app.post('/hook', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
    const result = verifyWebhook(request.body, request.headers, secret);
    if (!result.ok) {
      console.warn(`webhook refused: ${result.reason}. ${result.message}`);
      return response.sendStatus(401);
    }
    await handle(result.event);
    response.sendStatus(200);
  });
  return app;
};
