import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from '../support/answers.js';
import { type Answer, gateway, tenant, withSandboxGateway } from '../support/gateway.js';

withSandboxGateway();

let key: string;
let session: string;

beforeAll(async () => {
  const sandbox = await gateway.sandboxOf(tenant);
  key = sandbox.apiKey;
  session = `/v1/sandbox/sessions/${gateway.fakes.addSession(sandbox.tenantId).id}`;
});

const write = (body: object): Promise<Answer> => gateway.call(key, `POST ${session}/messages`, body);

describe('what the simulator refuses', () => {
  test('is told with the field of the content, and the rule', async () => {
    const answer = await write({ from: '+4915112345678', content: { type: 'smell' } });
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(answer.body).toMatchObject({
      message: 'type must be one of text, image',
      meta: { fields: [{ field: 'content.type', rule: 'type must be one of text, image' }] },
    });
  });

  test('names the cursor of an inbox that is not there any more', async () => {
    const inbox = `GET ${session}/contacts/+4915112345678/messages?limit=1`;
    const { nextCursor } = (await gateway.call(key, inbox)).body;
    expect(nextCursor).toEqual(expect.any(String));
    const answer = await gateway.call(key, `${inbox}&before=${String(nextCursor)}`);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(answer.body['meta']).toMatchObject({ fields: [{ field: 'before' }] });
  });
});
