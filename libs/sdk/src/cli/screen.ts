/** Output of a command: results to standard output, one JSON object a line where `--json` asks for it; all else to standard error. */
export class Screen {
  constructor(private readonly json: boolean) {}

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** Writes a note for people; it does not disturb programs. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Prints a result, as an object or in words; no words, no line. */
  result(object: object, words: () => string): void {
    const line = this.json ? JSON.stringify(object) : words();
    if (line !== '') this.say(line);
  }
}
