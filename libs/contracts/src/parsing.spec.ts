import { Type } from 'class-transformer';
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
import { parseData } from './parsing.js';

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
      fields: ['id', 'cover.number', 'pages.1.title'],
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

describe('the rules of a class', () => {
  test('are its own and those of its parents, whichever was checked first', () => {
    class Paperback extends Book {
      @IsInt() grams: number;
    }
    const problems = (type: typeof Book, fields: object): string[] => {
      try {
        parseData(type, aBook(fields));
        return [];
      } catch (error) {
        return ((error as AppError).meta['fields'] as { field: string }[]).map(({ field }) => field);
      }
    };
    for (let round = 0; round < 2; round += 1) {
      expect(problems(Book, { grams: 'x', id: 'x' })).toEqual(['id']);
      expect(problems(Paperback, { grams: 'x', id: 'x' })).toEqual(['grams', 'id']);
    }
  });
});
