import type * as api from './hey-api/types.gen.js';

export interface Schemas {
  CreateWebhookBody: api.CreateWebhookBody;
  HttpErrorBody: api.HttpErrorBody;
  LoggedEvent: api.LoggedEvent;
  MessageReceivedV1: api.MessageReceivedV1;
  PutExternalConfigBody: api.PutExternalConfigBody;
  SendMessageRequest: api.SendMessageRequest;
}
