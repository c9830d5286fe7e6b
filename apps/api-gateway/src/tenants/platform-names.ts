/** Names of the platform and its sisters without spaces, marks and doubled letters, and common misspellings of the first. */
const LIKE_PLATFORM = /wh?[ao]t[sz][ao]p|whatap$|vvhatsap|whastap|facebok|instagram/;
/** The owner of the platform as a word of its own: within words it is common. */
const OWNER = /(^|[^\p{L}])meta([^\p{L}]|$)|(^|[^\p{L}])w\s*a\s+(business|support)/iu;
/** Letters and digits that look like Latin ones. */
const LOOKALIKES: Record<string, string> = {
  ...{ а: 'a', е: 'e', һ: 'h', о: 'o', р: 'p', с: 'c', ѕ: 's', т: 't', ԝ: 'w', ω: 'w', ш: 'w', м: 'm' },
  ...{
    α: 'a',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    '0': 'o',
    '4': 'a',
    '@': 'a',
    '5': 's',
    $: 's',
    '7': 't',
    '1': 'i',
    '!': 'i',
  },
};

/** Says whether people could take a name for the platform's, or for that of its owner. */
export function isLikePlatform(name: string): boolean {
  const plain = [...name.normalize('NFKD').toLowerCase()]
    .map((letter) => LOOKALIKES[letter] ?? letter)
    .join('')
    .replace(/\p{M}/gu, '');
  const squeezed = plain.replace(/[^a-z]/g, '').replace(/(.)\1+/g, '$1');
  return OWNER.test(plain) || LIKE_PLATFORM.test(squeezed);
}
