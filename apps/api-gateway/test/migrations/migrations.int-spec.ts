import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, schemaDataSource } from '@svc/database';
import { createTestDatabase, functionsWithoutFile, schemaColumns, type TestDatabase } from '@svc/testing';
import { DataSource } from 'typeorm';
import { ApiKey } from '../../src/auth/api-key.entity.js';
import { AuditCheck, AuditHead, AuditRecord, AuditSeen } from '../../src/audit/audit-record.entity.js';
import { Conversation } from '../../src/conversations/conversation.entity.js';
import { ConversationPast } from '../../src/conversations/conversation-past.entity.js';
import { ClientMessage } from '../../src/sending/client-message.entity.js';
import { ErasedContact, ErasureRecord } from '../../src/erasures/erasure.entity.js';
import { ContactAlias } from '../../src/messages/contact-alias.entity.js';
import { CHANGES_SQL } from '../../src/messages/message-changes.repository.js';
import { Message } from '../../src/messages/message.entity.js';
import { SandboxDay } from '../../src/sandbox/sandbox-day.entity.js';
import { SandboxNumber } from '../../src/sandbox/sandbox-number.entity.js';
import { OptOut, OptOutWordsRow } from '../../src/opt-outs/opt-out.entity.js';
import { ScheduledMessage } from '../../src/scheduling/scheduled-message.entity.js';
import { CLAIM_SQL as CLAIM_SCHEDULED_SQL } from '../../src/scheduling/schedule.repository.js';
import { CLAIM_SQL, LEFT_BEHIND_SQL } from '../../src/sending/message-sweeper.js';
import { schema } from '../../src/migrations/schema.js';
import { SessionAssistantRow } from '../../src/assistant/session-assistant.entity.js';
import { SessionCreation } from '../../src/sessions/session-creation.entity.js';
import { SingleUseLinkRow } from '../../src/single-use/single-use-link.entity.js';
import { DashboardUser } from '../../src/tenants/dashboard-user.entity.js';
import { Widget } from '../../src/widget/widget.entity.js';
import { KeptUploads } from '../../src/media/kept-uploads.entity.js';
import { Upload } from '../../src/media/upload.entity.js';
import { TenantDeletionRecord } from '../../src/operator/tenant-deletion.entity.js';
import { PollVoteRow } from '../../src/polls/poll-vote.entity.js';
import { Tenant } from '../../src/tenants/tenant.entity.js';

const ENTITIES = [
  PollVoteRow,
  ApiKey,
  AuditCheck,
  AuditHead,
  AuditRecord,
  AuditSeen,
  ClientMessage,
  ContactAlias,
  Conversation,
  ConversationPast,
  DashboardUser,
  ErasedContact,
  ErasureRecord,
  KeptUploads,
  Message,
  OptOut,
  OptOutWordsRow,
  SandboxDay,
  SandboxNumber,
  ScheduledMessage,
  SessionAssistantRow,
  SessionCreation,
  SingleUseLinkRow,
  Tenant,
  TenantDeletionRecord,
  Upload,
  Widget,
];
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase(schema);
  dataSource = await new DataSource(
    schemaDataSource({ url: database.url, schema: 'gateway', entities: ENTITIES }),
  ).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('the schema after its migrations', () => {
  test('has the columns of the entities, and no others', async () => {
    const { inDatabase, declared } = await schemaColumns(database, dataSource, 'gateway');
    expect(inDatabase).toEqual(declared);
  });

  test('has the functions of the SQL files, and no others', async () => {
    expect(await functionsWithoutFile(database, schema)).toEqual([]);
  });

  test('has no table without an entity', async () => {
    const rows = await database.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'gateway' AND table_name NOT IN ('migration', 'sql_file')`,
    );
    const declared = dataSource.entityMetadatas.map(({ tableName }) => tableName);
    expect(rows.map(({ name }) => name).sort()).toEqual(declared.sort());
  });

  test('is left as it is by a second run', async () => {
    expect(await migrate({ ...schema, url: database.url })).toEqual([]);
  });

  test('finds the pages of a conversation and the rows to publish by an index', async () => {
    const planOf = async (sql: string): Promise<string> =>
      dataSource.transaction(async (tx) => {
        await tx.query('SET LOCAL enable_seqscan = off');
        return JSON.stringify(await tx.query(`EXPLAIN ${sql}`));
      });
    const page = `SELECT * FROM message WHERE tenant_id = gen_random_uuid() AND session_id = gen_random_uuid()
      AND (created_at, id) < (now(), gen_random_uuid()) ORDER BY created_at DESC, id DESC LIMIT 50`;
    expect(await planOf(page.replaceAll('gen_random_uuid()', `'${'0'.repeat(32)}'::uuid`))).toContain(
      'message_of_session',
    );
    const failed = page.replace('session_id = gen_random_uuid()', `status = 'FAILED'`);
    expect(await planOf(failed.replaceAll('gen_random_uuid()', `'${'0'.repeat(32)}'::uuid`))).toContain(
      'message_failed',
    );
    const groups = page.replace(
      'session_id = gen_random_uuid()',
      `origin ->> 'sender' = 'x' AND contact LIKE '%@g.us'`,
    );
    expect(await planOf(groups.replaceAll('gen_random_uuid()', `'${'0'.repeat(32)}'::uuid`))).toContain(
      'message_of_sender',
    );
    for (const sql of [CLAIM_SQL, LEFT_BEHIND_SQL]) {
      const plan = await planOf(sql);
      expect(plan).not.toContain('Seq Scan on message');
      // One tenant after the other: all rows of all tenants are never read together.
      for (const from of ['waiting', 'turn'])
        expect(plan).toMatch(new RegExp(`tenant_id = ${from}\\w*\\.id\\) AND`));
      expect(plan).not.toContain('Index Cond: (next_publish_at');
      expect(plan).not.toContain('Semi Join');
    }
    const scheduled = await planOf(CLAIM_SCHEDULED_SQL);
    expect(scheduled).not.toContain('Seq Scan on scheduled_message');
    expect(scheduled).toContain('scheduled_message_session');
    const changes = await planOf(CHANGES_SQL.replaceAll('$1', `'{${'0'.repeat(32)}}'::uuid[]`));
    expect(changes).toContain('message_change_by_job');
    expect(changes).toContain('message_change_by_key');
  });
});
