import { Database } from 'bun:sqlite'
import { connect } from 'node:net'
import { join } from 'node:path'
import { document } from '../../tools/openapiDocument'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const { runJson, startServer } = commandLine()

/** Read whose answers show that the server goes on. */
const PROBE = '/health/live'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** Statements that fill a system as far as its limits allow, for the kinds that reads go through. */
const filling = [
  `insert into members (uuid, hid, system_id, name, description)
   select '10000000-0000-4000-8000-' || substr('000000000000' || i, -12), 'm' || substr('00000' || i, -5), :system,
     'Wren ' || i, :text from numbers where i <= 1000`,
  `insert into member_ext (member_id, about)
   select id, :text || :text || :text || :text || :text || :text || :text || :text from members`,
  `insert into groups (uuid, hid, system_id, name)
   select '20000000-0000-4000-8000-' || substr('000000000000' || i, -12), 'g' || substr('00000' || i, -5), :system,
     'Keepers ' || i from numbers where i <= 250`,
  `insert into group_members (group_id, member_id)
   select groups.id, members.id from groups join members on members.id % 5 = groups.id % 5`,
  `insert into switches (uuid, system_id, timestamp)
   select '30000000-0000-4000-8000-' || substr('000000000000' || i, -12), :system, 1000000000000000 + i * 600000000
   from numbers where i <= 100000`,
  `insert into switch_members (switch_id, position, member_id)
   select switches.id, 0, members.id from switches
   join members on members.hid = 'm' || substr('00000' || (1 + switches.id % 30), -5)`,
  `insert into notes (uuid, system_id, title, text, date, created)
   select '40000000-0000-4000-8000-' || substr('000000000000' || i, -12), :system, 'Note', :text || :text || :text, i, i
   from numbers where i <= 10000`,
  `insert into posts (uuid, system_id, text, written, for_member)
   select '50000000-0000-4000-8000-' || substr('000000000000' || i, -12), :system, 'Rain.', i,
     (select min(id) + i % 1000 from members) from numbers where i <= 100000`,
  `insert into front_notes (uuid, system_id, kind, at, text, created)
   select '60000000-0000-4000-8000-' || substr('000000000000' || i, -12), :system, 'comment', 1000000000000000 + i, 'Rain.', i
   from numbers where i <= 50000`,
]

const numbers =
  'with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 100000)'

/** Lists all reads of the API document, for the system of the caller. */
function listPaths(system: string): string[] {
  const member = '10000000-0000-4000-8000-000000000001'
  const group = '20000000-0000-4000-8000-000000000001'
  const values: Record<string, string> = {
    systemRef: '@me',
    memberRef: member,
    groupRef: group,
    switchRef: '30000000-0000-4000-8000-000000000001',
    '/v1/s': system,
  }
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (!get || path === PROBE) return []
    const { parameters = [] } = get as { parameters?: Parameter[] }
    const required = parameters.filter((one) => one.in === 'query' && one.required)
    const query = required.map(({ name }) => `${name}=5`).join('&')
    const find = (name: string) => values[name] ?? values[path.slice(0, 5)] ?? UNKNOWN
    const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => find(name))
    return `${named}${query && `?${query}`}`
  })
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
}

test('no read goes on when its client has left', async () => {
  const cwd = emptyFolder()
  const server = await startServer(['--rate-limit', 'off', '--log-level', 'debug'], {
    cwd,
    env: { DURABILITY: 'normal' },
  })
  const created = await runJson<{ id: string; token: string }>(
    ['system', 'create', '--name', 'Lantern Hill'],
    { cwd },
  )
  fill(join(cwd, 'data/multitude.db'))
  const paths = listPaths(created.id)
  const ask = (path: string) => send(server.address, path, created.token)
  for (const path of paths) {
    // One client leaves with the first byte, and others before it, while their requests wait.
    const first = ask(path)
    const waiting = [ask(path), ask(path)]
    await Promise.all([first.begun, ...waiting.map(({ sent }) => sent)])
    for (const { leave } of [first, ...waiting]) leave()
    expect((await fetch(`${server.address}${PROBE}`)).status).toBe(200)
  }
  // Each request is logged when it ends.
  const ended = () =>
    [...server.output().matchAll(/"message":"request".*?"path":"([^"]+)","status":(\d+)/g)].filter(
      ([, path]) => path !== PROBE,
    )
  await until(() => ended().length === paths.length * 3)
  const statuses = Map.groupBy(ended(), ([, , status]) => status)
  expect(statuses.has('499')).toBe(true)
  expect([...statuses.keys()].filter((status) => Number(status) >= 500)).toEqual([])
  expect((await fetch(`${server.address}/health`)).status).toBe(200)
  server.kill('SIGTERM')
  expect((await server.end()).code).toBe(0)
})

function fill(path: string): void {
  const database = new Database(path)
  database.run('pragma busy_timeout = 5000')
  database.run('begin immediate')
  const { id } = database.query<{ id: number }, []>('select id from systems').get() ?? { id: 0 }
  for (const statement of filling)
    database
      .query(statement.replace(/^(insert [^)]*\))/, `$1 ${numbers}`))
      .run({ ':system': id, ':text': '★'.repeat(1000) } as never)
  database.run('commit')
  database.close()
}

/** Sends a request on a new connection. */
function send(address: string, path: string, token: string) {
  const { hostname, port } = new URL(address)
  const [begun, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const socket = connect(Number(port), hostname, () => {
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`
    socket.write(request, () => sent.resolve())
  })
  socket.on('error', () => {})
  socket.on('data', () => {
    begun.resolve()
    socket.pause()
  })
  socket.on('close', () => begun.resolve())
  return { begun: begun.promise, sent: sent.promise, leave: () => socket.destroy() }
}
