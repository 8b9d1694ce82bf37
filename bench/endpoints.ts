import { hidOf, known, messageOf, type Size } from './data'

/** Request that the benchmarks send to the servers in turns. */
export interface Endpoint {
  name: string
  method: 'GET' | 'PATCH' | 'POST'
  path: string
  as: string
  body?: string
  /** Goal for the ratio of the limit's CPU time per request to the server's. */
  goal: number
  /** Most connections, if the server sends only so many of these responses at once. */
  connections?: number
  /** Number of the next request, counted per endpoint so that successive switches differ in fronters. */
  next: number
}

const owner = { big: known.bigToken, typical: known.token, bot: `Bot ${known.botKey}` }
const deepest = '2020-01-02T00:00:00Z'
// Also the time of each switch in milliseconds, so it is later than all existing switches.
const FIRST = Date.UTC(2025, 0, 1)

export function endpointsOf(size: Size): Endpoint[] {
  const typicalMember = hidOf(size.bigMembers + 1)
  return [
    get('GET system', `/v2/systems/${known.typical}`, owner.typical, 0.88),
    get('GET member', `/v2/members/${typicalMember}`, owner.typical, 0.88),
    get('GET fronters', `/v2/systems/${known.typical}/fronters`, owner.typical, 1.05),
    get('GET message', `/v2/messages/${messageOf(77)}`, owner.typical, 0.8),
    get('GET members (20)', `/v2/systems/${known.typical}/members`, owner.typical, 1.45),
    {
      ...get(
        `GET members (${size.bigMembers})`,
        `/v2/systems/${known.big}/members`,
        owner.big,
        1.8,
      ),
      connections: 4,
    },
    get(
      `GET groups with members (${size.bigGroups})`,
      `/v2/systems/${known.big}/groups?with_members=true`,
      owner.big,
      1,
    ),
    get('GET switches (newest 100)', `/v2/systems/${known.big}/switches`, owner.big, 1.15),
    get(
      'GET switches (deepest 100)',
      `/v2/systems/${known.big}/switches?before=${deepest}`,
      owner.big,
      1.15,
    ),
    {
      ...write('PATCH member', 'PATCH', `/v2/members/${typicalMember}`, owner.typical),
      body: '{"color":"{hex}"}',
    },
    {
      ...write('POST switch', 'POST', `/v2/systems/${known.big}/switches`, owner.big),
      body: '{"timestamp":"{time}","members":["{member}"]}',
      goal: 1.25,
    },
    {
      ...write('POST /bot/proxy (20)', 'POST', '/bot/proxy', owner.bot),
      body: proxyBody(known.account, 'm7t1:hello there'),
      goal: 0.65,
    },
    {
      ...write(`POST /bot/proxy (${size.bigMembers})`, 'POST', '/bot/proxy', owner.bot),
      body: proxyBody(known.bigAccount, 'm77t7:hello there'),
      goal: 0.65,
    },
    {
      ...write('POST /bot/messages', 'POST', '/bot/messages', owner.bot),
      body: `{"id":"{n}","original":"8{n}","sender":"${known.account}","channel":"${known.channel}","guild":"${known.guild}","member":"${typicalMember}","timestamp":"2026-01-01T00:00:00Z"}`,
    },
  ]
}

function get(name: string, path: string, as: string, goal: number): Endpoint {
  return { name, method: 'GET', path, as, goal, next: FIRST }
}

function write(name: string, method: 'PATCH' | 'POST', path: string, as: string): Endpoint {
  return { name, method, path, as, goal: 1.2, next: FIRST }
}

function proxyBody(account: string, content: string): string {
  return JSON.stringify({
    account_id: account,
    guild_id: known.guild,
    channel_id: known.channel,
    content,
  })
}
