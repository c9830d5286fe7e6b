// Words that say nothing by themselves, as "the", are those that the dictionaries of PostgreSQL leave out, of whichever language: nobody knows
// in which one a contact writes.
const STOP_LANGUAGES = [
  ...['english', 'german', 'french', 'spanish', 'portuguese', 'italian', 'dutch'],
  ...['russian', 'turkish', 'danish', 'finnish', 'hungarian', 'norwegian', 'swedish'],
];
const IS_STOP_WORD = STOP_LANGUAGES.map(
  (name) => `ts_lexize('pg_catalog.${name}_stem', asked.word) = '{}'`,
).join(' OR ');

/** Likeness from which on two words are taken for one: those of one stem, and with a letter that is wrong. */
const LIKE = 0.4;

/**
 * This statement finds passages. `$1` is the session, `$2` are the words of the question, `$3` is the tenant. A word of the question means words of the sources
 * that are it, begin with it or are like it; rare ones count more. A passage fits that has a third of the words.
 */
export const SEARCH_SQL = `WITH asked AS (SELECT word FROM unnest($2::text[]) AS asked(word) WHERE NOT (${IS_STOP_WORD})),
  known AS (SELECT DISTINCT unnest(words) AS word FROM knowledge_source WHERE session_id = $1 AND tenant_id = $3),
  meant AS (SELECT asked.word, string_agg('''' || known.word || '''', '|')::tsquery AS query
    FROM asked JOIN known ON left(known.word, 1) = left(asked.word, 1) AND (known.word = asked.word
      OR (length(asked.word) > 3 AND (starts_with(known.word, asked.word)
        OR (abs(length(known.word) - length(asked.word)) <= 4 AND knowledge_likeness(known.word, asked.word) >= ${LIKE}))))
    GROUP BY asked.word),
  hit AS MATERIALIZED (SELECT p.source_id, p.place, meant.word FROM meant
    JOIN knowledge_passage p ON p.session_id = $1 AND p.tenant_id = $3 AND p.words @@ meant.query),
  weight AS (SELECT word, ln(1 + (SELECT count(*) FROM knowledge_passage WHERE session_id = $1)::float / count(*)) AS weight
    FROM hit GROUP BY word),
  best AS (SELECT source_id, place, sum(weight) AS score FROM hit JOIN weight USING (word)
    GROUP BY source_id, place HAVING count(*) * 3 >= (SELECT count(*) FROM asked)
    ORDER BY score DESC, source_id, place LIMIT 6)
  SELECT best.source_id AS "sourceId", s.title, p.text, round(best.score::numeric, 3)::float AS score
  FROM best JOIN knowledge_passage p USING (source_id, place) JOIN knowledge_source s ON s.id = source_id
  ORDER BY best.score DESC, best.source_id, best.place`;
