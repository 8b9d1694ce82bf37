import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage } from '../../src/db/open'
import { type Engine, onServer } from './engine'

/**
 * Number of databases that are created in advance, because creating one takes long. A test acquires
 * one by moving its file, and `createTemplates` creates the next.
 */
const READY_COUNT = 6
const TEMPLATE = 'template_of_tests'

/** Returns the address of an unused database. */
export function acquireDatabase(folder: string): string {
  for (;;) {
    for (const name of readdirSync(join(folder, 'ready')))
      try {
        renameSync(join(folder, 'ready', name), join(folder, 'taken', name))
        return `${process.env.TEST_POSTGRES_SERVER}/${name}`
      } catch {
        // Another process acquired it first.
      }
    Bun.sleepSync(5)
  }
}

/** Releases a database, which is then dropped, because hundreds of them would fill the disk. */
export function releaseDatabase(folder: string, address: string): void {
  const name = address.split('/').at(-1) ?? ''
  const taken = join(folder, 'taken', name)
  if (existsSync(taken)) renameSync(taken, join(folder, 'done', name))
}

/** Creates unused databases, listed in a folder, until `stop` is called. */
export async function createTemplates(
  engine: Engine,
): Promise<{ folder: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-stock-'))
  for (const part of ['ready', 'taken', 'done']) mkdirSync(join(folder, part))
  await onServer(engine.addressOf('postgres'), (sql) => sql.unsafe(`create database ${TEMPLATE}`))
  const storage = openStorage(engine.addressOf(TEMPLATE))
  await storage.ready
  await storage.close()
  let isStopped = false
  let created = 0
  const sql = new Bun.SQL({ url: engine.addressOf('postgres'), max: 1 })
  const maintain = async () => {
    while (!isStopped) {
      while (readdirSync(join(folder, 'ready')).length < READY_COUNT) {
        const name = `test_${++created}`
        await sql.unsafe(`create database ${name} template ${TEMPLATE}`)
        writeFileSync(join(folder, 'ready', name), '')
      }
      for (const name of readdirSync(join(folder, 'done')).slice(0, 1)) {
        await sql.unsafe(`drop database ${name} with (force)`)
        rmSync(join(folder, 'done', name))
      }
      await Bun.sleep(10)
    }
  }
  const maintaining = maintain()
  return {
    folder,
    async stop() {
      isStopped = true
      await maintaining
      await sql.close({ timeout: 0 })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
