import { type Reading, readStream } from '../events/readStream'
import { makeEngine, onServer, USER } from '../postgres/engine'
import type { Server } from '../tools/serverProcess'
import { expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { delayTo } from './delay'
import { must, nodesOn } from './nodes'

const { afterAll, test } = withTimeout(240_000)

const DELAY_MS = 40
const SYSTEMS = 8
const WRITERS_OF_EACH = 2
const WRITES_OF_EACH_WRITER = 25
const READERS_OF_EACH = 4
/** Number of times that each stream is interrupted at least. */
const RESUMES = 6

const engine = await makeEngine()
await engine.start()
await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe('create database multitude'))
const delay = await delayTo(engine.port, DELAY_MS)
const nodes = await nodesOn(`postgres://${USER}@127.0.0.1:${delay.port}/multitude`)
await Promise.all([nodes.start(), nodes.start()])

afterAll(async () => {
  for (const node of [...nodes.alive]) await nodes.kill(node)
  delay.close()
  await engine.stop('immediate')
  engine.remove()
})

test('streams that resume at another node get each event once, in the order of IDs', async () => {
  const created = await Promise.all(
    Array.from({ length: SYSTEMS }, (_, at) => nodes.makeSystem(`Hill ${at}`)),
  )
  const systems = created.map(({ id, token }) => ({
    id,
    token,
    readers: Array.from({ length: READERS_OF_EACH }, (_, at) => keepResuming(token, at)),
  }))
  await Promise.all(
    systems.flatMap(({ token, readers }) =>
      Array.from({ length: WRITERS_OF_EACH }, async (_, writer) => {
        const isRead = () => readers.every((reader) => reader.resumed() >= RESUMES)
        for (let n = 0; n < WRITES_OF_EACH_WRITER || !isRead(); n++)
          await must(nodeAt(writer + n), 'POST /v2/members', token, { name: `${writer} ${n}` })
      }),
    ),
  )
  for (const { id, readers } of systems) {
    const recorded = await idsOf(id)
    expect(recorded.length).toBeGreaterThanOrEqual(WRITERS_OF_EACH * WRITES_OF_EACH_WRITER)
    for (const reader of readers) {
      await until(
        () => [reader.newest(), recorded.at(-1)],
        ([newest, last]) => newest === last,
      )
      expect(await reader.stop()).toEqual(recorded)
    }
  }
})

/** Reads a few events of a stream, closes it, and resumes at the next node, until it is stopped. */
function keepResuming(token: string, first: number) {
  const received: string[] = []
  let resumed = 0
  let isStopped = false
  let reading: Reading | undefined
  const read = async () => {
    for (let at = first; !isStopped; at++) {
      const since = received.at(-1) ?? 0
      reading = await readStream(`${nodeAt(at).address}/v2/systems/@me/events`, { token, since })
      const current = reading
      const enough = 1 + (at % 3)
      await until(() => isStopped || current.messages.length >= enough)
      await current.leave()
      received.push(...current.messages.map(({ id }) => id))
      resumed++
    }
  }
  const reads = read()
  return {
    newest: () => reading?.messages.at(-1)?.id ?? received.at(-1),
    resumed: () => resumed,
    async stop() {
      isStopped = true
      await reads
      return received
    },
  }
}

function nodeAt(at: number): Server {
  return nodes.alive[at % nodes.alive.length] as Server
}

async function idsOf(hid: string): Promise<string[]> {
  const rows: { id: number }[] = await onServer(engine.addressOf('multitude'), (sql) =>
    sql.unsafe(
      `select id from events where system_id = (select id from systems where hid = $1) order by id`,
      [hid],
    ),
  )
  return rows.map(({ id }) => String(id))
}
