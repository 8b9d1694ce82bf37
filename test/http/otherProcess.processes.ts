import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { insertMember } from '../../src/service/members'
import { execute } from '../rawSql'
import { expect, test } from '../test'
import { createTestApp } from '../testApp'

const ROUNDS = 8

let duringRequest = () => {}
const { app, config, deps, folder, makeSystem } = createTestApp({
  PORT: '0',
  now: () => {
    const block = duringRequest
    duringRequest = () => {}
    block()
    return Date.now() * 1000
  },
})
const { origin, port } = new URL(app.listen())

test('hides a field that another process made private while an earlier request is still handled', async () => {
  const { hid, id } = await makeSystem()
  const wren = await deps.transact('new', (tx) =>
    insertMember(tx, id, { name: 'Wren', description: 'likes rain' }),
  )
  const fifo = join(folder, 'sent')
  expect(Bun.spawnSync(['mkfifo', fifo]).exitCode).toBe(0)
  const other = Bun.spawn([process.execPath, '-e', otherProcess(wren.hid, fifo)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(other.stdout)
  const shown: unknown[] = []
  let sent: number | undefined
  for (let round = 0; round < ROUNDS; round++) {
    await deps.transact('new', (tx) =>
      execute(tx, "update members set description_privacy = 'public' where id = :id", {
        id: wren.id,
      }),
    )
    expect(await lines.next()).toMatchObject({ value: 'ready' })
    sent ??= openSync(fifo, 'r')
    const signal = sent
    // Blocks the event loop after the server has read the database for one request,
    // until the other process has committed and sent the next request, or has ended.
    duringRequest = () => {
      other.stdin.write('go\n')
      other.stdin.flush()
      readSync(signal, Buffer.alloc(1))
    }
    const first = await fetch(`${origin}/v2/systems/${hid}/fronting/totals`, { keepalive: false })
    expect(first.status).toBe(200)
    const { value: answer } = await lines.next()
    shown.push(JSON.parse(answer ?? '').description)
  }
  other.stdin.end()
  if (sent !== undefined) closeSync(sent)
  expect(shown).toEqual(Array(ROUNDS).fill(null))
  expect(await other.exited).toBe(0)
})

/** In each round, makes the description private and, after the commit, reads it on a new connection. */
function otherProcess(member: string, fifo: string): string {
  const source = (file: string) => JSON.stringify(join(import.meta.dir, '../..', file))
  return `
    const { openSync, writeSync } = require('node:fs')
    const { connect } = require('node:net')
    const { openStorage } = require(${source('src/db/open')})
    const { execute } = require(${source('test/rawSql')})
    const storage = openStorage(${JSON.stringify(config.DATABASE_URL)}, { durability: 'normal' })
    await storage.ready
    const hide = "update members set description_privacy = 'private' where hid = '${member}'"
    const ask = 'GET /v2/members/${member} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'
    const lines = console[Symbol.asyncIterator]()
    let sent
    for (let round = 0; round < ${ROUNDS}; round++) {
      console.log('ready')
      sent ??= openSync(${JSON.stringify(fifo)}, 'w')
      await lines.next()
      await storage.transact('new', (tx) => execute(tx, hide))
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
