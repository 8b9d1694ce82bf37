import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { canMount, onSmallDisk } from '../../tools/restrictedEnvironment'
import { commandLine, emptyFolder, startServer } from '../../tools/serverProcess'
import { expect, test } from '../../tools/test'
import { isSqlite } from '../../tools/testApp'
import { until } from '../../tools/until'
import { expectRefused, problemsIn } from './refusals'

const { words, run } = commandLine()

test.if(isSqlite && canMount)(
  'a server reports a full disk, and is healthy when it has space again',
  async () => {
    const cwd = emptyFolder()
    const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
    const createdFile = join(emptyFolder(), 'made.json')
    const create = [...words, 'system', 'create', '--json'].map((word) => `'${word}'`).join(' ')
    const command = onSmallDisk('8m', cwd, `${create} > '${createdFile}'`, words)
    const server = await startServer(command, [], { cwd, env })
    const disk = `/proc/${server.pid}/root${cwd}`
    const { token } = JSON.parse(readFileSync(createdFile, 'utf8')) as { token: string }
    const write = () =>
      fetch(`${server.address}/v2/members`, {
        method: 'POST',
        headers: { authorization: token },
        body: JSON.stringify({ name: 'Drop', description: 'x'.repeat(900) }),
      })
    const health = () => fetch(`${server.address}/health`)
    expect([(await write()).status, (await health()).status]).toEqual([200, 200])
    Bun.spawnSync(['/bin/sh', '-c', 'cat /dev/zero > "$0"', join(disk, 'filler')])
    // The health check detects it without a preceding write.
    await until(async () => (await health()).status === 503)
    await expectRefused(await health(), 'the disk is full')
    let response = await write()
    for (let turn = 0; response.status === 200 && turn < 1000; turn++) response = await write()
    await expectRefused(response, 'the disk is full')
    for (const command of ['health', 'status']) {
      const { out, err } = await run([command, '--url', server.address], { cwd: emptyFolder() })
      expect(out + err).toContain(`${server.address} is unhealthy: the disk is full`)
    }
    // The renewal of a lease fails too.
    await until(async () => server.output().includes('lease renewal failed'))
    for (let turn = 0; turn < 3; turn++) expect((await write()).status).toBe(503)
    // The lease may be renewed before the first write.
    expect(problemsIn(server.output()).toSorted()).toEqual([
      ['error', 'request failed', expect.stringMatching(/^[^\n]+ the disk is full\.$/)],
      ['warn', 'lease renewal failed', expect.any(String)],
    ])
    rmSync(join(disk, 'filler'))
    await until(async () => (await health()).status === 200)
    expect((await write()).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  },
)

test.if(isSqlite && canMount)(
  'an import that would fill the disk is refused with 503',
  async () => {
    const cwd = emptyFolder()
    const env = { DATABASE_URL: `file:${join(cwd, 'data.db')}` }
    const createdFile = join(emptyFolder(), 'made.json')
    const create = [...words, 'system', 'create', '--json'].map((word) => `'${word}'`).join(' ')
    const command = onSmallDisk('32m', cwd, `${create} > '${createdFile}'`, words)
    const server = await startServer(command, [], { cwd, env })
    const { token } = JSON.parse(readFileSync(createdFile, 'utf8')) as { token: string }
    const send = (path: string, body: string) =>
      fetch(`${server.address}${path}`, { method: 'POST', headers: { authorization: token }, body })
    const noteOf = (bytes: number) =>
      JSON.stringify({ switches: [], multitude: { kept: { notes: ['x'.repeat(bytes)] } } })
    const refused = await send('/v2/systems/@me/import', noteOf(30 * 1024 * 1024))
    await expectRefused(refused, 'the disk is full')
    expect((await send('/v2/members', '{"name":"Wren"}')).status).toBe(200)
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    expect((await send('/v2/systems/@me/import', noteOf(500_000))).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  },
)
