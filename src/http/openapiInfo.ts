import { accesses, hasPermission, permissions } from '../model/scope'
import { version } from '../version'

/** What the API documentation says once for all operations. */

const DESCRIPTION = `The PluralKit-compatible interface of this server. Every path of version 2 also answers without the \`/v2\` prefix.

**Who asks.** Paste a system’s *token* under **Authorize** to act as your system; without one you see what is public. A bot sends \`Bot \` and its *bot key* instead, and names the system it acts for in the header \`X-System\`.

**What is sent.** Bodies are JSON. A key that is left out stays as it is, an unknown key is passed over, and \`null\` empties a value. Times are ISO 8601 in UTC; IDs of accounts, guilds, channels and messages are strings, as the platform has them; outside \`/bot\` with the platform in front, as \`matrix:@wren:example.org\`, where it is not Discord.

**Errors** are \`{ "message", "code" }\`: go by the status and the number \`code\`, the words may change. A body that does not fit answers \`40001\` with every problem in \`errors\`, by key.

**Limits.** \`429\` and \`503\` say in \`Retry-After\` how many seconds to wait, and in the body’s \`retry_after\` how many milliseconds. The headers \`X-RateLimit-*\` tell how much is left. Bots, and programs on the server’s own machine, are not counted there. Long reads (\`fronting\` of a long history, exports) wait for each other; \`429\` comes at once when too many wait for the same system, also by bots. Every answer has an \`X-Request-Id\`, by which the operator finds it in the log.`

export const info = {
  title: 'Multitude',
  version,
  description: DESCRIPTION,
  license: { name: 'MIT', identifier: 'MIT' },
}

/** What each scope may do, from the model that decides it. */
function scopeTable(): string {
  const head = ['', ...accesses.map((access) => `\`${access}\``)]
  const rows = Object.entries(permissions).map(([act, meaning]) => [
    meaning,
    ...accesses.map((access) =>
      hasPermission(access, act as keyof typeof permissions) ? 'yes' : '',
    ),
  ])
  const line = head.map(() => '---')
  return [head, line, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The sections, in the order they are shown. */
export const tags = {
  Systems:
    'A system: several people who share one body. Its profile, and the settings that say how it is treated.',
  Members: 'The people of a system: names, proxy tags, and who may see what of them.',
  Groups: 'Members put together under a name; a member may be in many groups.',
  Switches: 'Who fronts, and since when: each switch says who is there from then on.',
  Fronting:
    'How long, how often, when and with whom: stints, sums of them, and a calendar to subscribe to.',
  Guilds:
    'What a system and its members set for one guild (a chat platform’s server), and autoproxy there. All of it is the owner’s alone.',
  Messages: 'Which member a proxied message belongs to.',
  Events: 'What happens to a system, as it happens: sent to its webhook, or as a live stream.',
  'Import and export':
    'Whole systems as files: those of PluralKit, Tupperbox and Simply Plural come in, everything goes out.',
  Access: `Who may come in, and what for. A token is a key to everything unless it was made for less; a browser that was logged in acts by a session.\n\n${scopeTable()}\n\nWhat a scope does not allow is refused with 403.`,
  Bots: 'For chat bots, with a bot key: make systems, decide what becomes of a message, keep the record of what was sent. With `X-System` a bot may use all other sections too.',
  'Version 1 (deprecated)': 'For clients that know no other. New ones use version 2.',
}

export type Tag = keyof typeof tags

export const securitySchemes = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'A system’s token, as it is.',
  },
  botKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      'The word `Bot`, a space, and a bot’s key. Outside `/bot` the bot acts for the system that it names in the header `X-System`.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'multitude-PORT',
    description:
      'What a browser holds after it was logged in; `__Host-multitude` over https. Counts for requests of the server’s own page only.',
  },
} as const

export const parameters = {
  XSystem: {
    name: 'X-System',
    in: 'header',
    description:
      'For bots: the system that the bot acts for. Its short ID, its UUID, or one of its accounts, with the platform in front (Discord’s bare). With a token it is not read.',
    required: false,
    schema: { type: 'string' },
  },
} as const

export const headers = {
  RequestId: {
    description: 'Names this request in the server’s log',
    schema: { type: 'string' },
  },
  RateLimitLimit: {
    description: 'Requests that the caller may make in a second',
    schema: { type: 'integer' },
  },
  RateLimitRemaining: {
    description: 'How many of them are left',
    schema: { type: 'integer' },
  },
  RateLimitReset: {
    description: 'When all of them are there again, in UNIX seconds',
    schema: { type: 'integer' },
  },
  RateLimitScope: {
    description: 'What is counted: reads, message look-ups and changes each by themselves',
    schema: { type: 'string', enum: ['generic_get', 'message', 'generic_update'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next try; the body has it in milliseconds',
    schema: { type: 'integer' },
  },
}

type HeaderName = keyof typeof headers

/** Names of headers as they are sent, pointing at what they mean. */
function pointing(names: Record<string, HeaderName>) {
  return Object.fromEntries(
    Object.entries(names).map(([sent, name]) => [sent, { $ref: `#/components/headers/${name}` }]),
  )
}

export const always = pointing({ 'X-Request-Id': 'RequestId' })

/** Of callers who are limited: not of bots, and not where the operator wants no limits. */
export const ofLimited = pointing({
  'X-RateLimit-Limit': 'RateLimitLimit',
  'X-RateLimit-Remaining': 'RateLimitRemaining',
  'X-RateLimit-Reset': 'RateLimitReset',
  'X-RateLimit-Scope': 'RateLimitScope',
})

export const ofLater = pointing({ 'Retry-After': 'RetryAfter' })
