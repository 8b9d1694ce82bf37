import {
  type Asks,
  anyCaller,
  anySystem,
  type Endpoint,
  type Endpoints,
  onlyOwner,
} from './endpoint'

/** An endpoint of the PluralKit API, with what the API document says about it. */
export interface PluralKitEndpoint extends Endpoint {
  asks: Asks
  tag: string
  /** Schema of the response, a list of that schema, or null for 204. */
  response: string | [string] | null
  /** Parameters of the query string. */
  queries?: string[]
  /** Codes of all errors by status; 0 is the generic error of a status. */
  errors: Record<number, number[]>
}

/** Errors of every request; 404 because a bot may act for a system that does not exist. */
const always = { 403: [0], 404: [20001], 429: [0], 500: [0], 503: [0] }
const read = { 400: [0], ...always }
const write = { 400: [0], 401: [0], 408: [0], 413: [0], ...always }
const patch = { ...write, 400: [0, 40001] }

/** Systems, members, groups, switches and messages in version 2. */
export const pluralKit: Endpoints<'/v2', PluralKitEndpoint> = {
  'GET /v2/systems/{systemRef}': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }, { line: 'GET /v2/systems/@me', answers: anySystem() }],
    tag: 'Systems',
    response: 'System',
    errors: { ...read, 401: [0] },
  },
  'PATCH /v2/systems/{systemRef}': {
    requires: 'change',
    asks: [
      { body: { tag: '|' }, answers: onlyOwner(200, 403) },
      { line: 'PATCH /v2/systems/@me', body: { tag: '|' }, answers: anySystem() },
    ],
    events: ['UPDATE_SYSTEM'],
    tag: 'Systems',
    response: 'System',
    errors: patch,
  },
  'GET /v2/systems/{systemRef}/settings': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }, { line: 'GET /v2/systems/@me/settings', answers: anySystem() }],
    tag: 'Systems',
    response: 'Settings',
    errors: { ...read, 401: [0] },
  },
  'PATCH /v2/systems/{systemRef}/settings': {
    requires: 'change',
    asks: [{ body: { pings_enabled: false }, answers: onlyOwner(200, 403) }],
    events: ['UPDATE_SETTINGS'],
    tag: 'Systems',
    response: 'Settings',
    errors: patch,
  },
  'GET /v2/systems/@me/guilds/{guild_id}': {
    requires: 'read',
    asks: [{ answers: onlyOwner(200, 20009) }],
    tag: 'Guilds',
    response: 'SystemGuildSettings',
    errors: { ...read, 401: [0], 404: [20001, 20009] },
  },
  'PATCH /v2/systems/@me/guilds/{guild_id}': {
    requires: 'change',
    asks: [{ body: { tag: '|' }, answers: onlyOwner(200, 20009) }],
    events: ['UPDATE_SYSTEM_GUILD'],
    tag: 'Guilds',
    response: 'SystemGuildSettings',
    errors: { ...patch, 404: [20001, 20009] },
  },
  'GET /v2/members/{memberRef}/guilds/{guild_id}': {
    requires: 'read',
    asks: [
      { answers: onlyOwner(200, 30006) },
      { line: 'GET /v2/members/<wren>/guilds/444', answers: onlyOwner(20010, 30006) },
    ],
    tag: 'Guilds',
    response: 'MemberGuildSettings',
    errors: { ...read, 401: [0], 403: [0, 30006], 404: [20001, 20002, 20010] },
  },
  'PATCH /v2/members/{memberRef}/guilds/{guild_id}': {
    requires: 'change',
    asks: [{ body: { display_name: 'R' }, answers: onlyOwner(200, 30006) }],
    events: ['UPDATE_MEMBER_GUILD'],
    tag: 'Guilds',
    response: 'MemberGuildSettings',
    errors: { ...patch, 403: [0, 30006], 404: [20001, 20002, 20010] },
  },
  'GET /v2/systems/@me/autoproxy': {
    requires: 'read',
    query: 'guild_id=333',
    asks: [{ answers: anySystem() }],
    tag: 'Guilds',
    response: 'Autoproxy',
    queries: ['guild_id', 'channel_id'],
    errors: { ...read, 400: [0, 50001], 401: [0] },
  },
  'PATCH /v2/systems/@me/autoproxy': {
    requires: 'change',
    query: 'guild_id=333',
    asks: [{ body: { autoproxy_mode: 'front' }, answers: anySystem() }],
    events: ['UPDATE_AUTOPROXY'],
    tag: 'Guilds',
    response: 'Autoproxy',
    queries: ['guild_id', 'channel_id'],
    errors: { ...write, 400: [0, 40001, 40002, 50001], 403: [0, 30006] },
  },
  'GET /v2/systems/{systemRef}/members': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }, { line: 'GET /v2/systems/@me/members', answers: anySystem() }],
    tag: 'Members',
    response: ['Member'],
    errors: { ...read, 401: [0], 403: [0, 30001] },
  },
  'POST /v2/members': {
    requires: 'change',
    asks: [{ body: { name: 'Robin' }, answers: anySystem() }],
    events: ['CREATE_MEMBER'],
    tag: 'Members',
    response: 'Member',
    errors: { ...write, 400: [0, 40001, 40007] },
  },
  'GET /v2/members/{memberRef}': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }],
    tag: 'Members',
    response: 'MemberWithSystem',
    errors: { ...read, 404: [20001, 20002] },
  },
  'PATCH /v2/members/{memberRef}': {
    requires: 'change',
    asks: [{ body: { name: 'Robin' }, answers: onlyOwner(200, 30006) }],
    events: ['UPDATE_MEMBER'],
    tag: 'Members',
    response: 'Member',
    errors: { ...patch, 403: [0, 30006], 404: [20001, 20002] },
  },
  'DELETE /v2/members/{memberRef}': {
    requires: 'change',
    asks: [{ answers: onlyOwner(204, 30006) }],
    events: ['UPDATE_AUTOPROXY', 'DELETE_MEMBER'],
    tag: 'Members',
    response: null,
    errors: { ...write, 403: [0, 30006], 404: [20001, 20002] },
  },
  'GET /v2/members/{memberRef}/groups': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }],
    tag: 'Members',
    response: ['Group'],
    errors: { ...read, 403: [0, 30002], 404: [20001, 20002] },
  },
  'POST /v2/members/{memberRef}/groups/add': {
    requires: 'change',
    asks: [{ body: ['<dreamers>'], answers: onlyOwner(204, 30006) }],
    events: [],
    tag: 'Members',
    response: null,
    errors: { ...write, 403: [0, 30006, 30009], 404: [20001, 20002, 20005] },
  },
  'POST /v2/members/{memberRef}/groups/remove': {
    requires: 'change',
    asks: [{ body: ['<dreamers>'], answers: onlyOwner(204, 30006) }],
    events: [],
    tag: 'Members',
    response: null,
    errors: { ...write, 403: [0, 30006, 30009], 404: [20001, 20002, 20005] },
  },
  'POST /v2/members/{memberRef}/groups/overwrite': {
    requires: 'change',
    asks: [{ body: ['<dreamers>'], answers: onlyOwner(204, 30006) }],
    events: ['UPDATE_GROUP_MEMBERS'],
    tag: 'Members',
    response: null,
    errors: { ...write, 403: [0, 30006, 30009], 404: [20001, 20002, 20005] },
  },
  'GET /v2/systems/{systemRef}/groups': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }, { line: 'GET /v2/systems/@me/groups', answers: anySystem() }],
    tag: 'Groups',
    response: ['GroupWithMembers'],
    queries: ['with_members'],
    errors: { ...read, 401: [0], 403: [0, 30002] },
  },
  'POST /v2/groups': {
    requires: 'change',
    asks: [{ body: { name: 'Robins' }, answers: anySystem() }],
    events: ['CREATE_GROUP'],
    tag: 'Groups',
    response: 'Group',
    errors: { ...write, 400: [0, 40001, 40008] },
  },
  'GET /v2/groups/{groupRef}': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }],
    tag: 'Groups',
    response: 'GroupWithSystem',
    errors: { ...read, 404: [20001, 20004] },
  },
  'PATCH /v2/groups/{groupRef}': {
    requires: 'change',
    asks: [{ body: { name: 'Robins' }, answers: onlyOwner(200, 30007) }],
    events: ['UPDATE_GROUP'],
    tag: 'Groups',
    response: 'Group',
    errors: { ...patch, 403: [0, 30007], 404: [20001, 20004] },
  },
  'DELETE /v2/groups/{groupRef}': {
    requires: 'change',
    asks: [{ answers: onlyOwner(204, 30007) }],
    events: ['DELETE_GROUP'],
    tag: 'Groups',
    response: null,
    errors: { ...write, 403: [0, 30007], 404: [20001, 20004] },
  },
  'GET /v2/groups/{groupRef}/members': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }],
    tag: 'Groups',
    response: ['Member'],
    errors: { ...read, 403: [0, 30003], 404: [20001, 20004] },
  },
  'POST /v2/groups/{groupRef}/members/add': {
    requires: 'change',
    asks: [{ body: ['<heron>'], answers: onlyOwner(204, 30007) }],
    events: ['UPDATE_GROUP_MEMBERS'],
    tag: 'Groups',
    response: null,
    errors: { ...write, 403: [0, 30007, 30008], 404: [20001, 20003, 20004] },
  },
  'POST /v2/groups/{groupRef}/members/remove': {
    requires: 'change',
    asks: [{ body: ['<heron>'], answers: onlyOwner(204, 30007) }],
    events: ['UPDATE_GROUP_MEMBERS'],
    tag: 'Groups',
    response: null,
    errors: { ...write, 403: [0, 30007, 30008], 404: [20001, 20003, 20004] },
  },
  'POST /v2/groups/{groupRef}/members/overwrite': {
    requires: 'change',
    asks: [{ body: ['<heron>'], answers: onlyOwner(204, 30007) }],
    events: ['UPDATE_GROUP_MEMBERS'],
    tag: 'Groups',
    response: null,
    errors: { ...write, 403: [0, 30007, 30008], 404: [20001, 20003, 20004] },
  },
  'GET /v2/systems/{systemRef}/switches': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }, { line: 'GET /v2/systems/@me/switches', answers: anySystem() }],
    tag: 'Switches',
    response: ['SwitchOfIds'],
    queries: ['before', 'limit'],
    errors: { ...read, 401: [0], 403: [0, 30005] },
  },
  'POST /v2/systems/{systemRef}/switches': {
    requires: 'switch',
    asks: [{ body: { members: [] }, answers: onlyOwner(200, 403) }],
    events: ['CREATE_SWITCH'],
    tag: 'Switches',
    response: 'Switch',
    errors: {
      ...write,
      400: [0, 40001, 40003, 40004, 40005],
      403: [0, 30008],
      404: [20001, 20003],
    },
  },
  'GET /v2/systems/{systemRef}/fronters': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }, { line: 'GET /v2/systems/@me/fronters', answers: anySystem() }],
    tag: 'Switches',
    response: 'Fronters',
    errors: { ...read, 401: [0], 403: [0, 30004] },
  },
  'GET /v2/systems/{systemRef}/switches/{switchRef}': {
    requires: 'nothing',
    asks: [
      { answers: anyCaller },
      { line: 'GET /v2/systems/@me/switches/<first>', answers: onlyOwner(200, 20008) },
    ],
    tag: 'Switches',
    response: 'Switch',
    errors: { ...read, 400: [0, 40006], 401: [0], 404: [20001, 20008] },
  },
  'PATCH /v2/systems/{systemRef}/switches/{switchRef}': {
    requires: 'switch',
    asks: [{ body: { timestamp: '2024-06-01' }, answers: onlyOwner(200, 403) }],
    events: ['UPDATE_SWITCH'],
    tag: 'Switches',
    response: 'Switch',
    errors: { ...write, 400: [0, 40001, 40005, 40006], 404: [20001, 20008] },
  },
  'DELETE /v2/systems/{systemRef}/switches/{switchRef}': {
    requires: 'switch',
    asks: [{ answers: onlyOwner(204, 403) }],
    events: ['DELETE_SWITCH'],
    tag: 'Switches',
    response: null,
    errors: { ...write, 400: [0, 40006], 404: [20001, 20008] },
  },
  'PATCH /v2/systems/{systemRef}/switches/{switchRef}/members': {
    requires: 'switch',
    asks: [{ body: ['<heron>'], answers: onlyOwner(200, 403) }],
    events: ['UPDATE_SWITCH'],
    tag: 'Switches',
    response: 'Switch',
    errors: {
      ...write,
      400: [0, 40001, 40003, 40004, 40006],
      403: [0, 30008],
      404: [20001, 20003, 20008],
    },
  },
  'GET /v2/messages/{message}': {
    requires: 'nothing',
    asks: [{ answers: anyCaller }],
    tag: 'Messages',
    response: 'Message',
    errors: { ...read, 404: [20001, 20006] },
  },
}
