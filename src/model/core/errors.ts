import type { Problem } from './validation'

/** Problems of a request body, by key. */
export type Problems = Record<string, Problem[]>

interface ErrorKind {
  status: number
  code: number
  /** `{ref}` is replaced by the reference in the request, `{what}` by the limit. */
  message: string
}

/** All errors of the API, with status, code and message. */
export const errorTable = {
  badRequest: { status: 400, code: 0, message: '400: Bad Request' },
  nothingToChange: {
    status: 400,
    code: 0,
    message: '400: Bad Request (no valid key was given)',
  },
  invalidPath: { status: 400, code: 0, message: 'Invalid path for API version' },
  unauthorized: {
    status: 401,
    code: 0,
    message: '401: Missing or invalid Authorization header',
  },
  forbidden: {
    status: 403,
    code: 0,
    message: '403: Missing permissions to access this resource',
  },
  notFound: { status: 404, code: 0, message: '404: Not Found' },
  methodNotAllowed: { status: 405, code: 0, message: '405: Method Not Allowed' },
  gone: { status: 410, code: 0, message: '410: Gone' },
  conflict: { status: 409, code: 0, message: '409: Conflict' },
  requestTimeout: { status: 408, code: 0, message: '408: Request Timeout' },
  tooLarge: { status: 413, code: 0, message: '413: Payload Too Large' },
  tooManyRequests: { status: 429, code: 0, message: '429: Too Many Requests' },
  internal: { status: 500, code: 0, message: '500: Internal Server Error' },
  unavailable: { status: 503, code: 0, message: '503: Service Unavailable' },
  systemNotFound: { status: 404, code: 20001, message: 'System not found.' },
  memberNotFound: { status: 404, code: 20002, message: 'Member not found.' },
  memberRefNotFound: { status: 404, code: 20003, message: "Member '{ref}' not found." },
  groupNotFound: { status: 404, code: 20004, message: 'Group not found.' },
  groupRefNotFound: { status: 404, code: 20005, message: "Group '{ref}' not found." },
  messageNotFound: { status: 404, code: 20006, message: 'Message not found.' },
  switchNotFound: {
    status: 404,
    code: 20008,
    message:
      'Switch not found, switch associated with different system, or unauthorized to view front history.',
  },
  noSystemGuild: {
    status: 404,
    code: 20009,
    message: 'No system guild settings found for target guild.',
  },
  noMemberGuild: {
    status: 404,
    code: 20010,
    message: 'No member guild settings found for target guild.',
  },
  fieldNotFound: { status: 404, code: 29001, message: 'Field not found.' },
  noteNotFound: { status: 404, code: 29002, message: 'Note not found.' },
  postNotFound: { status: 404, code: 29003, message: 'Post not found.' },
  roomNotFound: { status: 404, code: 29004, message: 'Room not found.' },
  pollNotFound: { status: 404, code: 29005, message: 'Poll not found.' },
  reminderNotFound: { status: 404, code: 29006, message: 'Reminder not found.' },
  bucketNotFound: { status: 404, code: 29007, message: 'Privacy bucket not found.' },
  friendNotFound: { status: 404, code: 29008, message: 'Friend not found.' },
  inviteNotFound: { status: 404, code: 29009, message: 'Invitation not found.' },
  frontNoteNotFound: { status: 404, code: 29010, message: 'Front note not found.' },
  pushTargetNotFound: { status: 404, code: 29011, message: 'Push target not found.' },
  archiveNotFound: { status: 404, code: 29012, message: 'Archived collection not found.' },
  memberListHidden: { status: 403, code: 30001, message: 'Unauthorized to view member list' },
  groupListHidden: { status: 403, code: 30002, message: 'Unauthorized to view group list' },
  groupMembersHidden: {
    status: 403,
    code: 30003,
    message: 'Unauthorized to view group member list',
  },
  frontersHidden: {
    status: 403,
    code: 30004,
    message: 'Unauthorized to view current fronters.',
  },
  historyHidden: { status: 403, code: 30005, message: 'Unauthorized to view front history.' },
  notYourMember: {
    status: 403,
    code: 30006,
    message: 'Target member is not part of your system.',
  },
  notYourGroup: {
    status: 403,
    code: 30007,
    message: 'Target group is not part of your system.',
  },
  notYourMemberRef: {
    status: 403,
    code: 30008,
    message: "Member '{ref}' is not part of your system.",
  },
  notYourGroupRef: {
    status: 403,
    code: 30009,
    message: "Group '{ref}' is not part of your system.",
  },
  notShared: { status: 403, code: 39001, message: 'This is not shared with you.' },
  invalidBody: { status: 400, code: 40001, message: 'Error parsing JSON model' },
  autoproxyMemberMissing: {
    status: 400,
    code: 40002,
    message: 'Missing autoproxy member for member-mode autoproxy.',
  },
  duplicateMembers: {
    status: 400,
    code: 40003,
    message: 'Duplicate members in member list.',
  },
  sameFronters: {
    status: 400,
    code: 40004,
    message: 'Member list identical to current fronter list.',
  },
  sameTimestamp: {
    status: 400,
    code: 40005,
    message: 'Switch with provided timestamp already exists.',
  },
  invalidSwitchId: { status: 400, code: 40006, message: 'Invalid switch ID.' },
  memberLimit: { status: 400, code: 40007, message: 'Member limit reached.' },
  groupLimit: { status: 400, code: 40008, message: 'Group limit reached.' },
  limitReached: { status: 400, code: 49001, message: 'Limit reached: {what}.' },
  pollClosed: { status: 400, code: 49002, message: 'The poll is closed.' },
  groupLoop: { status: 400, code: 49003, message: 'Groups cannot contain each other.' },
  typeInUse: {
    status: 400,
    code: 49004,
    message: 'The type cannot be changed while members have values.',
  },
  unimplemented: { status: 400, code: 50001, message: 'Unimplemented' },
} satisfies Record<string, ErrorKind>

export type ErrorName = keyof typeof errorTable

/** An expected error from `errorTable`, safe to show to the caller. */
export class DomainError extends Error {
  readonly status: number
  readonly code: number

  constructor(
    readonly kind: ErrorName,
    message: string,
    readonly problems?: Problems,
    /** Milliseconds. A 503 response always has a Retry-After header. */
    readonly retryAfter: number | undefined = kind === 'unavailable' ? 1000 : undefined,
  ) {
    super(message)
    this.status = errorTable[kind].status
    this.code = errorTable[kind].code
  }
}

/**
 * Builds an error by name. The detail is a reference, a short reason, or the problems of a body.
 */
export function error(
  kind: ErrorName,
  detail?: string | Problems,
  retryAfter?: number,
): DomainError {
  const { message } = errorTable[kind]
  if (typeof detail !== 'string') return new DomainError(kind, message, detail, retryAfter)
  if (/\{(ref|what)\}/.test(message))
    return new DomainError(
      kind,
      message.replace(/\{(ref|what)\}/, () => detail),
    )
  return new DomainError(kind, `${message} (${detail})`, undefined, retryAfter)
}

/** Reports a temporary failure, after which the operation can be retried. */
export function isUnavailable(cause: unknown): boolean {
  return cause instanceof DomainError && cause.kind === 'unavailable'
}

/** Builds a temporary error with a reason and the milliseconds until a retry. */
export function unavailable(reason: string, retryAfter: number): DomainError {
  const { message } = error('unavailable', reason)
  return new DomainError('unavailable', message, undefined, retryAfter)
}
