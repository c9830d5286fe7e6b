import { Type } from 'class-transformer';
import fc from 'fast-check';
import {
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { describe, expect, test } from '@jest/globals';
import type { AppError } from './app-error.js';
import { parseData } from './contract.js';
import { Envelope, parseEnvelope, readEnvelope } from './envelope.js';
import { MessageReceived, MessageSent } from './events/message-events.js';

class Page {
  @IsInt() @Min(1) number: number;
  @IsString() @MinLength(3) title: string;
}
class Book {
  @IsUUID() id: string;
  @ValidateNested() @Type(() => Page) cover: Page;
  @IsArray() @ValidateNested({ each: true }) @Type(() => Page) pages: Page[];
  @IsOptional() @IsString() note?: string | null;
}

const ID = '0198c0de-0000-7000-8000-000000000001';
const aPage = (fields: object = {}): object => ({ number: 1, title: 'One', ...fields });
const aBook = (fields: object = {}): object => ({ id: ID, cover: aPage(), pages: [aPage()], ...fields });

function problemsOf(plain: unknown): unknown {
  try {
    parseData(Book, plain);
  } catch (error) {
    const { code, meta } = error as AppError;
    return { code, fields: (meta['fields'] as { field: string }[] | undefined)?.map(({ field }) => field) };
  }
  return 'none';
}

describe('parsing', () => {
  test('gives instances, nested ones as well', () => {
    const book = parseData(Book, aBook());
    expect(book).toBeInstanceOf(Book);
    expect(book.cover).toBeInstanceOf(Page);
    expect(book.pages[0]).toBeInstanceOf(Page);
  });

  test('names every wrong field by its path', () => {
    const plain = aBook({ id: 'x', cover: aPage({ number: 0 }), pages: [aPage(), aPage({ title: 7 })] });
    expect(problemsOf(plain)).toEqual({
      code: 'VALIDATION_FAILED',
      fields: ['id', 'cover.number', 'pages.1.title', 'pages.1.title'],
    });
  });

  test('says each rule in words that name the path', () => {
    expect(() => parseData(Book, aBook({ cover: aPage({ number: 0 }) }))).toThrow(
      'cover.number must not be less than 1',
    );
  });

  test('names no more than 20 problems, and says how many more there are', () => {
    const pages = Array.from({ length: 25 }, () => aPage({ number: 0 }));
    expect((problemsOf(aBook({ pages })) as { fields: string[] }).fields).toHaveLength(20);
    expect(() => parseData(Book, aBook({ pages }))).toThrow(/; and 5 more$/);
  });

  test('leaves fields out that the contract does not know, at every depth', () => {
    const book = parseData(Book, aBook({ extra: 1, cover: aPage({ extra: 2 }) }));
    expect(book).toEqual(parseData(Book, aBook()));
  });

  test('takes null for an optional field', () => {
    expect(parseData(Book, aBook({ note: null })).note).toBeNull();
  });

  test.each([
    ['a list', []],
    ['text', 'x'],
    ['null', null],
    ['nothing', undefined],
    ['a number', 1],
  ])('refuses %s where an object is due', (_, plain) => {
    expect(problemsOf(plain)).toEqual({ code: 'VALIDATION_FAILED', fields: undefined });
  });

  test.each([
    ['text for an object', { cover: 'x' }, 'cover'],
    ['null for an object', { cover: null }, 'cover'],
    ['an object for a list', { pages: {} }, 'pages'],
    ['text in a list of objects', { pages: ['x'] }, 'pages.0'],
    ['a list for text', { note: ['x'] }, 'note'],
  ])('refuses %s', (_, fields, field) => {
    expect(problemsOf(aBook(fields))).toMatchObject({ fields: expect.arrayContaining([field]) });
  });

  test('is not led astray by the names every object has', () => {
    const plain = JSON.parse(`{"id":"${ID}","cover":{"number":1,"title":"One"},"pages":[],
      "__proto__":{"note":"polluted"},"constructor":{"prototype":{"polluted":true}}}`) as unknown;
    const book = parseData(Book, plain);
    expect(book.note).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(book).toBeInstanceOf(Book);
  });
});

describe('an envelope', () => {
  const data = {
    sessionId: ID,
    jobId: ID,
    messageId: ID,
    keyId: '3EB0',
    clientMessageId: null,
    to: '4915112345678@s.whatsapp.net',
    timestamp: '2026-01-31T12:00:00.000Z',
  };
  const envelope = (fields: object = {}): object => ({
    id: ID,
    type: 'message.sent',
    version: 1,
    tenantId: ID,
    occurredAt: '2026-01-31T12:00:00.000Z',
    data,
    ...fields,
  });

  test('is checked together with the data inside', () => {
    const parsed = parseEnvelope(MessageSent, envelope());
    expect(parsed).toBeInstanceOf(Envelope);
    expect(parsed.data).toBeInstanceOf(MessageSent.data);
    expect(() => parseEnvelope(MessageSent, envelope({ data: { ...data, jobId: 1 } }))).toThrow('jobId');
  });

  test('of another event is refused, naming both', () => {
    expect(() => parseEnvelope(MessageReceived, envelope())).toThrow(
      'Expected message.received v1, got message.sent v1.',
    );
  });

  test.each(['id', 'type', 'version', 'tenantId', 'occurredAt', 'data'])('without %s is refused', (field) => {
    expect(() => parseEnvelope(MessageSent, envelope({ [field]: undefined }))).toThrow(field);
  });

  test('that is read for its data only is refused for the same reasons, and its data are left alone', () => {
    const odd = { ...data, unknown: [1, { deep: true }] };
    const read = readEnvelope(envelope({ data: odd, unknown: 1 }));
    expect(read).toBeInstanceOf(Envelope);
    expect({ ...read }).toEqual({ ...(envelope() as Envelope), data: odd });

    const field = fc.constantFrom('id', 'type', 'version', 'tenantId', 'occurredAt', 'traceparent', 'data');
    const value = fc.oneof(
      fc.constantFrom<unknown>(undefined, null, 0, 1, 1.5, -1, '', ID, ID.toUpperCase(), [], {}, [ID], true),
      fc.constantFrom(
        '2026-01-31',
        '2026-13-31T12:00:00.000Z',
        '2026-01-31T12:00:00Z',
        '2026-01-31T12:00:00.000+01:00',
      ),
      fc.constantFrom('00000000-0000-0000-0000-000000000000', '01890a5d-ac96-974b-1cfa-e3a4f8d6c1b2', 'x'),
      fc.anything(),
    );
    const outcome = (check: () => object): string => {
      try {
        check();
        return 'taken';
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(field, value, (name, odd) => {
        const plain = envelope({ [name]: odd });
        expect(outcome(() => readEnvelope(plain))).toBe(outcome(() => parseData(Envelope, plain)));
      }),
      { numRuns: 2_000 },
    );
  });
});
