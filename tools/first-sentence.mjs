// An ESLint plugin with one rule: a comment begins with its subject or its verb (docs/glossary.md, "How comments begin").

/** Words that begin a question or half a sentence: the reader has to guess the noun. */
const BANNED = new Set(
  'what whether how who whom whoever whose where why which of as by until somebody'.split(' '),
);
const DIRECTIVE = /^[\s*]*(eslint|global|prettier|Stryker|istanbul|@ts-|\/)/;

const isBanned = ({ value }) => BANNED.has(/^[\s*]*([a-z]+)\b/i.exec(value)?.[1].toLowerCase());

/** Says whether a line comment goes on with the one on the line above: the two are one comment. */
function goesOn(comment, before, source) {
  return (
    comment.type === 'Line' &&
    before?.type === 'Line' &&
    before.loc.end.line === comment.loc.start.line - 1 &&
    before.loc.start.column === comment.loc.start.column &&
    source.getTokenBefore(before)?.loc.end.line !== before.loc.start.line
  );
}

const firstSentence = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { noSubject: 'Begin with the noun or the verb (docs/glossary.md, "How comments begin").' },
  },
  create: ({ sourceCode: source, report }) => ({
    Program: () => {
      const comments = source.getAllComments().filter(({ value }) => !DIRECTIVE.test(value));
      for (const [at, comment] of comments.entries())
        if (isBanned(comment) && !goesOn(comment, comments[at - 1], source))
          report({ loc: comment.loc, messageId: 'noSubject' });
    },
  }),
};

export default { rules: { 'first-sentence': firstSentence } };
