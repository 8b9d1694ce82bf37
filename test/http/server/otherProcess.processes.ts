import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { insertMember } from '../../../src/service/members/members'
import { insertSession } from '../../../src/store/access/sessionRows'
import { insertToken } from '../../../src/store/access/tokenRows'
import { execute } from '../../tools/rawSql'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createTestClock } from '../../tools/testClock'

let duringRequest = () => {}
const { app, config, deps, folder, makeSystem } = createTestApp({
  PORT: '0',
  // Without periodic tasks, whose transactions would wait for the other process while it waits for them.
  clock: createTestClock(),
  now: () => {
    const block = duringRequest
    duringRequest = () => {}
    block()
    return Date.now() * 1000
  },
})
const { origin, port } = new URL(app.listen())

/** Work that the other process does: it commits the statements and then sends a request. */
interface Step {
  readonly statements: readonly string[]
  readonly header: string
}

const HIDE = "update members set description_privacy = 'private'"
const CHANGED = `insert into change_counters (name, value) values ('credentials', 1)
  on conflict (name) do update set value = value + 1`

const insertKeys = (id: number) =>
  deps.transact('new', async (tx) => {
    const system = { system_id: id, token_id: null, expires: null }
    const device = { name: 'Test', remember: false }
    const { secret } = await insertSession(tx, system, device, deps.now())
    const token = await insertToken(deps, tx, id, 'test')
    // Its use is recorded already: a write of the server would wait for the other process.
    await execute(tx, 'update tokens set last_used = :now where system_id = :id', {
      now: deps.now(),
      id,
    })
    return {
      token: `Authorization: ${token}`,
      session: `Host: localhost:${port}\r\nCookie: multitude-${port}=${secret}`,
    }
  })

test('reads nothing that another process made private, or refused, while an earlier request is still handled', async () => {
  // What a server does when it starts writes, too.
  await app.started
  const owner = await makeSystem()
  const stranger = await insertKeys((await makeSystem()).id)
  const wren = await deps.transact('new', (tx) =>
    insertMember(tx, owner.id, { name: 'Wren', description: 'likes rain' }),
  )
  const refused = (table: string): string[] => [
    `delete from ${table} where system_id = ${owner.id}`,
    CHANGED,
  ]
  const callers: Record<string, (keys: typeof stranger) => Step> = {
    'an anonymous caller': () => ({ statements: [HIDE], header: 'X: y' }),
    'the token of another system': () => ({ statements: [HIDE], header: stranger.token }),
    'a session of another system': () => ({ statements: [HIDE], header: stranger.session }),
    'a revoked token': ({ token }) => ({ statements: [HIDE, ...refused('tokens')], header: token }),
    'an ended session': ({ session }) => ({
      statements: [HIDE, ...refused('sessions')],
      header: session,
    }),
  }
  const fifo = join(folder, 'sent')
  expect(Bun.spawnSync(['mkfifo', fifo]).exitCode).toBe(0)
  const other = Bun.spawn([process.execPath, '-e', otherProcess(wren.hid, fifo)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(other.stdout)
  const shown: [string, unknown][] = []
  expect(await lines.next()).toMatchObject({ value: 'ready' })
  const sent = openSync(fifo, 'r')
  for (const [caller, stepOf] of [...Object.entries(callers), ...Object.entries(callers)]) {
    const step = stepOf(await insertKeys(owner.id))
    await deps.transact('new', (tx) => execute(tx, HIDE.replace('private', 'public'), {}))
    const show = (headers: string) => {
      const [name = '', value = ''] = headers.split('\r\n').at(-1)?.split(': ') ?? []
      return fetch(`${origin}/v2/members/${wren.hid}`, { headers: { [name]: value } })
    }
    // The caller is known to the server before the change.
    expect(await (await show(step.header)).json()).toMatchObject({ description: 'likes rain' })
    // Ends after the writes of that request.
    await deps.transact('new', async () => {})
    // Blocks the event loop after the server has read the database for one request,
    // until the other process has committed and sent the next request, or has ended.
    duringRequest = () => {
      other.stdin.write(`${JSON.stringify(step)}\n`)
      other.stdin.flush()
      readSync(sent, Buffer.alloc(1))
    }
    const path = `/v2/systems/${owner.hid}/fronting/totals`
    const first = await fetch(`${origin}${path}`, { keepalive: false })
    expect(first.status).toBe(200)
    const { value: answer } = await lines.next()
    shown.push([caller, JSON.parse(answer ?? '').description])
  }
  other.stdin.end()
  closeSync(sent)
  const names = Object.keys(callers)
  expect(shown).toEqual([...names, ...names].map((caller) => [caller, null]))
  expect(await other.exited).toBe(0)
})

/** In each step, commits the statements and, after the commit, reads the member on a new connection. */
function otherProcess(member: string, fifo: string): string {
  const source = (file: string) => JSON.stringify(join(import.meta.dir, '../../..', file))
  return `
    const { openSync, writeSync } = require('node:fs')
    const { connect } = require('node:net')
    const { openStorage } = require(${source('src/db/open')})
    const { execute } = require(${source('test/tools/rawSql')})
    const storage = openStorage(${JSON.stringify(config.DATABASE_URL)}, { durability: 'normal' })
    await storage.ready
    console.log('ready')
    const sent = openSync(${JSON.stringify(fifo)}, 'w')
    for await (const line of console) {
      if (line === '') break
      const { statements, header } = JSON.parse(line)
      await storage.transact('new', async (tx) => {
        for (const statement of statements) await execute(tx, statement, {})
      })
      const host = header.startsWith('Host') ? '' : 'Host: x\\r\\n'
      const ask = 'GET /v2/members/${member} HTTP/1.1\\r\\n' + host + header +
        '\\r\\nConnection: close\\r\\n\\r\\n'
      const socket = connect(${port}, '127.0.0.1', () =>
        socket.write(ask, () => writeSync(sent, '.')))
      let answer = ''
      for await (const chunk of socket) answer += chunk
      console.log(answer.slice(answer.indexOf('\\r\\n\\r\\n') + 4))
    }
    await storage.close()`
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
