/** Expected documentation of an endpoint: its response and every error code that it can return. */
export interface Endpoint {
  tag: string
  /** Schema of the response, a list of that schema, or null for 204. */
  answer: string | [string] | null
  /** Error codes by status; 0 is the generic error of a status. */
  errors: Record<number, number[]>
}

/** Errors of every request; 404 because a bot may act for a system that does not exist. */
const always = { 403: [0], 404: [20001], 429: [0], 500: [0], 503: [0] }
const read = { 400: [0], ...always }
const write = { 400: [0], 401: [0], 413: [0], ...always }
const patch = { ...write, 400: [0, 40001] }

/** Endpoints of the PluralKit API for systems, members, groups, switches and messages. */
export const endpoints: Record<string, Endpoint> = {
  'GET /systems/{systemRef}': {
    tag: 'Systems',
    answer: 'System',
    errors: { ...read, 401: [0] },
  },
  'PATCH /systems/{systemRef}': {
    tag: 'Systems',
    answer: 'System',
    errors: { ...patch, 403: [0] },
  },
  'GET /systems/{systemRef}/settings': {
    tag: 'Systems',
    answer: 'Settings',
    errors: { ...read, 401: [0] },
  },
  'PATCH /systems/{systemRef}/settings': {
    tag: 'Systems',
    answer: 'Settings',
    errors: { ...patch, 403: [0] },
  },
  'GET /systems/@me/guilds/{guild_id}': {
    tag: 'Guilds',
    answer: 'SystemGuildSettings',
    errors: { ...read, 401: [0], 404: [20001, 20009] },
  },
  'PATCH /systems/@me/guilds/{guild_id}': {
    tag: 'Guilds',
    answer: 'SystemGuildSettings',
    errors: { ...patch, 404: [20001, 20009] },
  },
  'GET /systems/@me/autoproxy': {
    tag: 'Guilds',
    answer: 'Autoproxy',
    errors: { ...read, 400: [0, 50001], 401: [0] },
  },
  'PATCH /systems/@me/autoproxy': {
    tag: 'Guilds',
    answer: 'Autoproxy',
    errors: { ...patch, 400: [0, 40001, 40002, 50001], 403: [0, 30006] },
  },
  'GET /systems/{systemRef}/members': {
    tag: 'Members',
    answer: ['Member'],
    errors: { ...read, 401: [0], 403: [0, 30001] },
  },
  'POST /members': {
    tag: 'Members',
    answer: 'Member',
    errors: { ...patch, 400: [0, 40001, 40007] },
  },
  'GET /members/{memberRef}': {
    tag: 'Members',
    answer: 'MemberWithSystem',
    errors: { ...read, 404: [20001, 20002] },
  },
  'PATCH /members/{memberRef}': {
    tag: 'Members',
    answer: 'Member',
    errors: { ...patch, 403: [0, 30006], 404: [20001, 20002] },
  },
  'DELETE /members/{memberRef}': {
    tag: 'Members',
    answer: null,
    errors: { ...write, 403: [0, 30006], 404: [20001, 20002] },
  },
  'GET /members/{memberRef}/groups': {
    tag: 'Members',
    answer: ['Group'],
    errors: { ...read, 403: [0, 30002], 404: [20001, 20002] },
  },
  'GET /members/{memberRef}/guilds/{guild_id}': {
    tag: 'Guilds',
    answer: 'MemberGuildSettings',
    errors: { ...read, 401: [0], 403: [0, 30006], 404: [20001, 20002, 20010] },
  },
  'PATCH /members/{memberRef}/guilds/{guild_id}': {
    tag: 'Guilds',
    answer: 'MemberGuildSettings',
    errors: { ...patch, 403: [0, 30006], 404: [20001, 20002, 20010] },
  },
  'GET /systems/{systemRef}/groups': {
    tag: 'Groups',
    answer: ['GroupWithMembers'],
    errors: { ...read, 401: [0], 403: [0, 30002] },
  },
  'POST /groups': {
    tag: 'Groups',
    answer: 'Group',
    errors: { ...patch, 400: [0, 40001, 40008] },
  },
  'GET /groups/{groupRef}': {
    tag: 'Groups',
    answer: 'GroupWithSystem',
    errors: { ...read, 404: [20001, 20004] },
  },
  'PATCH /groups/{groupRef}': {
    tag: 'Groups',
    answer: 'Group',
    errors: { ...patch, 403: [0, 30007], 404: [20001, 20004] },
  },
  'DELETE /groups/{groupRef}': {
    tag: 'Groups',
    answer: null,
    errors: { ...write, 403: [0, 30007], 404: [20001, 20004] },
  },
  'GET /groups/{groupRef}/members': {
    tag: 'Groups',
    answer: ['Member'],
    errors: { ...read, 403: [0, 30003], 404: [20001, 20004] },
  },
  'GET /systems/{systemRef}/switches': {
    tag: 'Switches',
    answer: ['SwitchOfIds'],
    errors: { ...read, 401: [0], 403: [0, 30005] },
  },
  'GET /systems/{systemRef}/fronters': {
    tag: 'Switches',
    answer: 'Fronters',
    errors: { ...read, 401: [0], 403: [0, 30004] },
  },
  'POST /systems/{systemRef}/switches': {
    tag: 'Switches',
    answer: 'Switch',
    errors: {
      ...write,
      400: [0, 40001, 40003, 40004, 40005],
      403: [0, 30008],
      404: [20001, 20003],
    },
  },
  'GET /systems/{systemRef}/switches/{switchRef}': {
    tag: 'Switches',
    answer: 'Switch',
    errors: { ...read, 400: [0, 40006], 401: [0], 404: [20001, 20008] },
  },
  'PATCH /systems/{systemRef}/switches/{switchRef}': {
    tag: 'Switches',
    answer: 'Switch',
    errors: { ...write, 400: [0, 40001, 40005, 40006], 403: [0], 404: [20001, 20008] },
  },
  'PATCH /systems/{systemRef}/switches/{switchRef}/members': {
    tag: 'Switches',
    answer: 'Switch',
    errors: {
      ...write,
      400: [0, 40001, 40003, 40004, 40006],
      403: [0, 30008],
      404: [20001, 20003, 20008],
    },
  },
  'DELETE /systems/{systemRef}/switches/{switchRef}': {
    tag: 'Switches',
    answer: null,
    errors: { ...write, 400: [0, 40006], 403: [0], 404: [20001, 20008] },
  },
  'GET /messages/{message}': {
    tag: 'Messages',
    answer: 'Message',
    errors: { ...read, 404: [20001, 20006] },
  },
}

for (const action of ['add', 'remove', 'overwrite']) {
  endpoints[`POST /members/{memberRef}/groups/${action}`] = {
    tag: 'Members',
    answer: null,
    errors: { ...write, 403: [0, 30006, 30009], 404: [20001, 20002, 20005] },
  }
  endpoints[`POST /groups/{groupRef}/members/${action}`] = {
    tag: 'Groups',
    answer: null,
    errors: { ...write, 403: [0, 30007, 30008], 404: [20001, 20003, 20004] },
  }
}
