import { DEFAULT_RECEIVER } from './options.js';

const COMMON = `  --json            one JSON object a line on standard output
  -h, --help        this text`;
const ACCESS = `  --base-url URL    address of the gateway; better: the variable SVC_BASE_URL
  --api-key KEY     better: the variable SVC_API_KEY, which other users of the machine do not see`;
const RECEIVER = `  --forward URL     where to post to; ${DEFAULT_RECEIVER} without it
  --secret SECRET   signs the posts; better: the variable SVC_WEBHOOK_SECRET. Neither: one is made and shown`;
const CODES = 'Exit code: 0 done, 1 refused or failed, 2 called wrongly.';

/** Help of the command and of each of its parts. */
export const HELP = {
  svc: `Usage: svc <command> [options]

  listen    forward your events to a receiver on this machine, signed as webhooks are
  send      send a text
  trigger   post a sample event to a receiver
  evals     play conversations to the assistant of a session, and judge what it answers

svc <command> --help says more. ${CODES}`,

  listen: `Usage: svc listen [options]

Forwards the events of your tenant as they happen, in order: what your receiver gets has the headers, the body and the signature
of a webhook. Without an option it hears what an endpoint does by default: the nine kinds of the specification, and of messages those
that customers write, in groups, too; not what is written on the own phone, and no edits or revocations.
A receiver that does not answer with 2xx gets an event three times within some seconds; then the next follows.
A connection that breaks is made again, and nothing is missed.

${RECEIVER}
  --event NAME      only this event, whichever it is
  --session ID      only events of this session
  --own             what is written on the own phone, too: as "hears": {"own": true} of an endpoint
  --changes         edits and revocations, too: as "changes": true
  --no-groups       nothing of groups: as "groups": false
  --all             events of every kind, --own and --changes
  --after CURSOR    go on from there instead of from now; a run that ends says where it was
${ACCESS}
${COMMON}

Ctrl-C ends it with exit code 0. ${CODES}`,

  send: `Usage: svc send --session ID --to PHONE --text TEXT [options]

  --session ID      the number to send from; or the variable SVC_SESSION_ID
  --to PHONE        e.g. "+49 151 12345678"
  --text TEXT
  --client-message-id ID    the same id again sends nothing again
${ACCESS}
${COMMON}

${CODES}`,

  evals: `Usage: svc evals run FILE --session ID [options]
       svc evals mine FILE --session ID

run plays the conversations of a file to the assistant of a session, eight at a time, as its playground does: nothing is sent. Calls and tokens
count; with a test key they cost nothing. Each answer is judged by the rules of its step; a conversation ends at the first answer that breaks one.

  {"conversations": [{"name": "Opening hours", "steps": [
    {"contact": "When do you open?", "expect": {"contains": ["seven"], "maxCharacters": 300}},
    {"contact": "agent", "expect": {"outcome": "HANDED_OFF"}}]}]}

Rules: contains, containsNone (lists of texts, in whatever case), matches (a regular expression), outcome, detail, tools (names, in order),
minSources, maxMessages, maxCharacters, maxTokens; and judge: sentences that a model of your provider shall find true of the answer.

mine makes such a file out of the last conversations of the session, fifty at most, in which somebody was answered: what looks like a number, an
e-mail, an address or the name of the contact is replaced, and each answer has to say in substance what was answered then. What else names a
person it cannot know: nothing runs until a person has looked through the file and set reviewed to true.

  --session ID      whose assistant answers; or the variable SVC_SESSION_ID
  --published       the version that holds answers, and not the draft
  --report          tells the gateway how it ended, for sessions whose publishing demands evals
${ACCESS}
${COMMON}

${CODES}`,

  trigger: `Usage: svc trigger EVENT [options]

Posts a sample of the event, e.g. message.received, as a webhook. It asks no gateway and needs no key.

${RECEIVER}
${COMMON}

${CODES}`,
};
