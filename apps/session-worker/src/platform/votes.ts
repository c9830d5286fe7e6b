/** Place of a poll: the job that sent it, or its name in the journal. */
export type PollPlace = { jobId: string } | { sender: string; keyId: string };

/** Vote of a person in a poll: it takes the place of all earlier ones of the same person. */
export interface InboundVote {
  poll: PollPlace;
  /** The platform's id of the poll. */
  pollKeyId: string;
  /** Address of who wrote the poll. */
  pollAuthor: string;
  /** Names of the options that the person chose; none: the vote is taken back, or cannot be read. */
  options: string[];
  /** Number of choices that are no option of the poll as it is known here. */
  unknownOptions: number;
  isUnreadable: boolean;
  /** Unix milliseconds of the voter's device; undefined where it names none. */
  at: number | undefined;
  /** Address behind which the platform hides the voter, where it is known. */
  hidden: string | undefined;
}

/** A vote that came before its poll; its words are in the journal. */
export interface EarlyVote {
  sender: string;
  keyId: string;
  /** Attributes of its stanza. */
  attrs: Record<string, string | undefined>;
}
