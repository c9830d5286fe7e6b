export { type ServiceProcess, startProcess } from './child-process.js';
export { createTestDatabase, type TestDatabase, type TestSchema } from './test-database.js';
export { startTestNats, type TestNats } from './test-nats.js';
export { startTestService, type TestService } from './test-service.js';
export { waitFor } from './wait-for.js';
export {
  type DeliveryBody,
  type ReceivedWebhook,
  type WebhookAnswer,
  WebhookReceiver,
} from './webhook-receiver.js';
