import { describe, expect, test } from '@jest/globals';
import { columns } from './columns.js';

const events = columns({ id: 'uuid', kind: 'text', payload: 'jsonb' }, 3);

describe('rows that a statement is given as arrays', () => {
  test('stand side by side, under the numbers of their parameters', () => {
    expect(events.unnest('event')).toBe(
      'unnest($3::uuid[], $4::text[], $5::jsonb[]) AS event (id, kind, payload)',
    );
    expect(columns({ id: 'uuid' }).unnest('one')).toBe('unnest($1::uuid[]) AS one (id)');
  });

  test('are numbered where asked', () => {
    expect(columns({ id: 'uuid' }).unnest('event', 'place')).toBe(
      'unnest($1::uuid[]) WITH ORDINALITY AS event (id, place)',
    );
  });

  test('are followed by others', () => {
    const deliveries = columns({ endpoint_id: 'uuid' }, events.next);
    expect(deliveries.unnest('planned')).toBe('unnest($6::uuid[]) AS planned (endpoint_id)');
    expect(deliveries.next).toBe(7);
  });

  test('give each column as an array of its own', () => {
    expect(events.array('kind')).toBe('$4::text[]');
  });

  test('become arrays in the order of the columns, whatever the order of the readers', () => {
    const items = [{ a: 1 }, { a: 2 }];
    const arrays = events.arrays(items, {
      payload: ({ a }) => JSON.stringify(a),
      id: ({ a }) => `id ${a}`,
      kind: (_, index) => index,
    });
    expect(arrays).toEqual([
      ['id 1', 'id 2'],
      [0, 1],
      ['1', '2'],
    ]);
  });

  test('are empty arrays where there are none', () => {
    expect(events.arrays([], { id: String, kind: String, payload: String })).toEqual([[], [], []]);
  });
});
