/** What a command says: results to standard output, one JSON object a line where `--json` asks for it; all else to standard error. */
export class Screen {
  constructor(private readonly json: boolean) {}

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** For people; it keeps out of the way of programs. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** A result, as an object or in words; no words, no line. */
  result(object: object, words: () => string): void {
    const line = this.json ? JSON.stringify(object) : words();
    if (line !== '') this.say(line);
  }
}
