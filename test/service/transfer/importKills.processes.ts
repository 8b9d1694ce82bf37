import { Database } from 'bun:sqlite'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeAbandoned } from '../../../src/service/systems/staging'
import { problemsOf, withDeps } from '../../postgres/fullDatabase'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { listSystems } from '../../tools/operatorActions'
import { runJson } from '../../tools/runInProcess'
import { commandLine } from '../../tools/serverProcess'
import { generateFile } from '../../tools/simplyplural/generateFile'
import { expect, test } from '../../tools/test'
import { until } from '../../tools/until'
import { type AppFile, importAsBefore } from './earlierImport'
import { withRawDatabase } from './importFixture'

const { startServer } = commandLine()

/** Progress of an import after which the server is killed, from its first transaction to its last. */
const kills = [
  'SELECT 1 FROM pending_imports',
  'SELECT 1 FROM posts WHERE import_id IS NOT NULL',
  'SELECT 1 FROM posts WHERE import_id IS NOT NULL LIMIT 1 OFFSET 200',
  'SELECT 1 FROM posts WHERE import_id NOT IN (SELECT id FROM pending_imports)',
]

/** Waits until a query returns a row or the server has answered. */
async function untilFound(path: string, sql: string, answer: Promise<unknown>): Promise<void> {
  const database = new Database(path, { readonly: true })
  let isAnswered = false
  answer.then(() => {
    isAnswered = true
  })
  await until(() => isAnswered || database.query(sql).get() !== null)
  database.close()
}

/** Lets the killed import count as abandoned, as it would after 15 seconds. */
function expireImports(path: string): void {
  withRawDatabase(path, (database) => database.run('UPDATE pending_imports SET expires_at = 0'))
}

test('an import of extension data whose server is killed leaves nothing, and works afterwards', async () => {
  const cwd = folderWithDatabase()
  const { token } = await runJson<{ token: string }>(['system', 'create'], { cwd })
  const path = join(cwd, 'data/multitude.db')
  const { file, facts } = generateFile({ seed: 11, size: 'typical', shape: 'export' })
  const body = new Blob([JSON.stringify(file)])
  const headers = { authorization: token }
  const readExport = async (address: string) => {
    const response = await fetch(`${address}/v2/systems/@me/export`, { headers })
    const { multitude, ...rest } = (await response.json()) as { multitude: object }
    return { ...rest, ...multitude, exported_at: null }
  }
  const send = (address: string) =>
    fetch(`${address}/v2/systems/@me/import`, { method: 'POST', headers, body })

  let server = await startServer([], { cwd })
  const empty = await readExport(server.address)
  let logged = ''
  for (const kill of kills) {
    const answer = send(server.address).then(
      ({ status }) => status,
      () => 'killed',
    )
    await untilFound(path, kill, answer)
    server.kill('SIGKILL')
    const status = await answer
    logged += (await server.end()).err
    expireImports(path)
    server = await startServer([], { cwd })
    const exported = await readExport(server.address)
    expect(status).toBeOneOf(['killed', 200])
    if (status === 'killed') {
      // The kill may have hit the answer of a complete import.
      const { ext } = exported as { ext?: { posts: unknown[] } }
      if (ext) expect(ext.posts).toHaveLength(facts.chat.length + facts.boards.length)
      else expect(exported).toEqual(empty)
    }
  }
  const response = await send(server.address)
  expect(response.status).toBe(200)
  const report = await response.text()
  const complete = await readExport(server.address)
  expect(await (await send(server.address)).json()).toMatchObject({
    members: { added: 0, changed: 0 },
    ext: { posts: { added: 0 }, notes: { added: 0 }, front_notes: { added: 0 } },
  })
  expect(await readExport(server.address)).toEqual(complete)
  const folder = join(cwd, 'data')
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  const written = [...files, report, JSON.stringify(complete), logged + server.output()]
  for (const secret of facts.secrets)
    expect(written.filter((text) => text.includes(secret))).toEqual([])
  server.kill('SIGTERM')
  await server.end()
}, 240_000)

test('a conversion whose server is killed converts nothing or everything, and works afterwards', async () => {
  const cwd = folderWithDatabase()
  const path = join(cwd, 'data/multitude.db')
  const database = `file:${path}`
  const { token } = await runJson<{ token: string }>(['system', 'create'], { cwd })
  const { file, facts } = generateFile({ seed: 12, size: 'typical', shape: 'export' })
  await withDeps(database, async (deps) => {
    const [system] = await listSystems(deps)
    await importAsBefore({ deps }, { id: system?.id ?? 0 }, file as AppFile)
  })
  const headers = { authorization: token }
  const get = async (address: string, path: string) => {
    const response = await fetch(`${address}/ext/v1/systems/@me/${path}`, { headers })
    return (await response.json()) as unknown[]
  }
  const send = (address: string) =>
    fetch(`${address}/ext/v1/systems/@me/archive/convert`, { method: 'POST', headers })
  const posts = facts.chat.length + facts.boards.length
  const readState = async (address: string) => {
    const [archive, notes, exported] = await Promise.all([
      get(address, 'archive'),
      get(address, 'notes?limit=1000'),
      fetch(`${address}/v2/systems/@me/export`, { headers }),
    ])
    const { multitude } = (await exported.json()) as { multitude: { ext?: { posts: unknown[] } } }
    return { archive, notes: notes.length, posts: multitude.ext?.posts.length ?? 0 }
  }

  let server = await startServer([], { cwd })
  const before = await readState(server.address)
  expect(before).toMatchObject({ notes: 0, posts: 0 })
  for (const kill of kills) {
    const answer = send(server.address).then(
      ({ status }) => status,
      () => 'killed',
    )
    await untilFound(path, kill, answer)
    server.kill('SIGKILL')
    await answer
    await server.end()
    expireImports(path)
    server = await startServer([], { cwd })
    const state = await readState(server.address)
    // The kill may have come after the end of the conversion.
    if (state.posts > 0) expect(state).toMatchObject({ notes: facts.notes.length, posts })
    else expect(state).toEqual(before)
  }
  const response = await send(server.address)
  expect(response.status).toBe(200)
  const complete = await readState(server.address)
  expect(complete).toMatchObject({ notes: facts.notes.length, posts })
  expect(await (await send(server.address)).json()).toMatchObject({
    members: { added: 0, changed: 0 },
    kept: {},
  })
  expect(await readState(server.address)).toEqual(complete)
  server.kill('SIGTERM')
  await server.end()
  await withDeps(database, (deps) => removeAbandoned(deps))
  expect(await problemsOf(database)).toEqual([])
}, 240_000)
