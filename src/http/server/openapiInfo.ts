import { accesses, hasPermission, permissions } from '../../model/core/privacy'
import { version } from '../../runtime/version'

/** Parts of the API documentation that are common to all operations. */

const DESCRIPTION = `The PluralKit-compatible API of this server. Every path of version 2 is also available without the \`/v2\` prefix.

**Authentication.** Enter a system’s *token* under **Authorize** to act as that system; without one, only public data is visible. A bot sends \`Bot \` followed by its *bot key* instead, and names the system that it acts for in the \`X-System\` header.

**Requests.** Bodies are JSON. Omitted keys are left unchanged, unknown keys are ignored, and \`null\` clears a value. Times are ISO 8601 in UTC. IDs of accounts, guilds, channels and messages are strings in the platform’s own format; outside \`/bot\`, IDs of platforms other than Discord are prefixed with the platform, such as \`matrix:@wren:example.org\`.

**Errors** are objects of the form \`{ "message", "code" }\`. Rely on the status and the numeric \`code\`; the message may change. The error for an invalid body is \`40001\`; it lists every problem in \`errors\`, by key.

**Limits.** \`429\` and \`503\` responses state when to retry: in seconds in the \`Retry-After\` header, and in milliseconds in \`retry_after\` of the body. The \`X-RateLimit-*\` headers report the remaining requests. Bots, and programs on the same machine as the server, are not rate limited. Long reads (\`fronting\` of a long history, exports) wait in a queue; if too many wait for the same system, further ones are refused with \`429\` immediately, including those of bots.

Every response has an \`X-Request-Id\`, which identifies the request in the server’s log.`

export const info = {
  title: 'Multitude',
  version,
  description: DESCRIPTION,
  license: { name: 'MIT', identifier: 'MIT' },
}

/** Renders the permissions of each scope as a Markdown table. */
function scopeTable(): string {
  const head = ['', ...accesses.map((access) => `\`${access}\``)]
  const rows = Object.entries(permissions).map(([permission, label]) => [
    label,
    ...accesses.map((access) =>
      hasPermission(access, permission as keyof typeof permissions) ? 'yes' : '',
    ),
  ])
  const line = head.map(() => '---')
  return [head, line, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Sections of the API page, in order. */
export const tags = {
  Systems: 'Profiles and settings of systems. A system is several people who share one body.',
  Members: 'The members of a system, with their names, proxy tags and privacy levels.',
  Groups: 'Named groups of members. A member can be in several groups.',
  Switches: 'The front history. Each switch lists the members that front from its time on.',
  Fronting:
    'Statistics of the front history: stints, totals, times of day and co-fronting, and a calendar feed.',
  Guilds:
    'Settings of a system and its members for a guild (a server of a chat platform), and autoproxy there. Only the owner has access.',
  Messages: 'Look up the system and member of a proxied message.',
  Events: 'Changes of a system in real time, delivered to a webhook or as a stream.',
  'Import and export':
    'Import files of PluralKit, Tupperbox, Simply Plural and PluralPort, and export a complete system.',
  Access: `Tokens, sessions and preferences. A token has full access unless it was created with a narrower scope; a browser that is logged in uses a session.\n\n${scopeTable()}\n\nRequests that a scope does not allow are refused with 403.`,
  Journal: 'Notes, rooms, posts and polls of a system. Only the owner has access.',
  Reminders: 'Reminders of a system. Only the owner has access.',
  Friends:
    'Friends on this server, invitations, and privacy buckets, which decide what a friend sees.',
  Pictures: 'Pictures that this server stores for members, groups and systems.',
  Bots: 'For chat bots with a bot key: create systems, decide how to handle messages, and record proxied messages. With `X-System`, a bot can use all other sections too.',
  'Version 1 (deprecated)': 'For existing clients of version 1. New clients should use version 2.',
}

export type Tag = keyof typeof tags

export const securitySchemes = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'Token of a system.',
  },
  botKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      'The word `Bot`, a space, and a bot key. Outside `/bot`, the bot acts for the system in the `X-System` header.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'multitude-PORT',
    description:
      'Session cookie of a browser that is logged in; named `__Host-multitude` over HTTPS. Valid only for requests from the server’s own page.',
  },
} as const

export const parameters = {
  XSystem: {
    name: 'X-System',
    in: 'header',
    description:
      'For bots: the system that the bot acts for, by short ID, UUID or linked account (`platform:ID`; the bare ID for Discord). Ignored with a token.',
    required: false,
    schema: { type: 'string' },
  },
} as const

export const headers = {
  RequestId: {
    description: 'Identifies this request in the server’s log',
    schema: { type: 'string' },
  },
  RateLimitLimit: {
    description: 'Requests allowed per second',
    schema: { type: 'integer' },
  },
  RateLimitRemaining: {
    description: 'Requests remaining',
    schema: { type: 'integer' },
  },
  RateLimitReset: {
    description: 'UNIX time in seconds at which the full limit is available again',
    schema: { type: 'integer' },
  },
  RateLimitScope: {
    description: 'Scope of the limit; reads, message lookups and writes are counted separately',
    schema: { type: 'string', enum: ['generic_get', 'message', 'generic_update'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before a retry; the body has it in milliseconds',
    schema: { type: 'integer' },
  },
}

type HeaderName = keyof typeof headers

/** Maps the names of headers to references to their components. */
function headerRefs(names: Record<string, HeaderName>) {
  return Object.fromEntries(
    Object.entries(names).map(([header, name]) => [
      header,
      { $ref: `#/components/headers/${name}` },
    ]),
  )
}

export const commonHeaders = headerRefs({ 'X-Request-Id': 'RequestId' })

/** Headers of rate-limited requests: not of bots, and not if rate limits are disabled. */
export const rateLimitHeaders = headerRefs({
  'X-RateLimit-Limit': 'RateLimitLimit',
  'X-RateLimit-Remaining': 'RateLimitRemaining',
  'X-RateLimit-Reset': 'RateLimitReset',
  'X-RateLimit-Scope': 'RateLimitScope',
})

export const retryHeaders = headerRefs({ 'Retry-After': 'RetryAfter' })
