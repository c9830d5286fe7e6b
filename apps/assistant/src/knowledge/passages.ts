/** Longest passage, in characters: an answer to one question, and so short that several fit before the model. */
const PASSAGE_MAX = 1_000;

/** Splits a text where it has paragraphs, sentences or at least words, into passages that are not too long. */
export function passagesOf(text: string): string[] {
  const passages: string[] = [];
  let passage = '';
  for (const piece of piecesOf(text)) {
    if (passage !== '' && passage.length + piece.length > PASSAGE_MAX) {
      passages.push(passage);
      passage = '';
    }
    passage += piece;
  }
  return [...passages, passage].map((one) => one.trim()).filter((one) => one !== '');
}

/** Splits a text into paragraphs with the signs behind them; one that is too long into its sentences, and such a sentence anywhere. */
function piecesOf(text: string): string[] {
  return text
    .split(/(?<=\n\n)/)
    .flatMap((paragraph) =>
      paragraph.length > PASSAGE_MAX ? paragraph.split(/(?<=[.!?。！？\n])/u) : paragraph,
    )
    .flatMap((sentence) => sentence.match(/[\s\S]{1,1000}/gu) ?? []);
}
