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
 * Databases kept ready, for tests that cannot wait for one: a name is taken by moving its file. The
 * one who keeps the stock lays the next ones out.
 */
const AT_HAND = 6
const TEMPLATE = 'template_of_tests'

/** The address of a database that nobody has used. */
export function acquireDatabase(stock: string): string {
  for (;;) {
    for (const name of readdirSync(join(stock, 'ready')))
      try {
        renameSync(join(stock, 'ready', name), join(stock, 'taken', name))
        return `${process.env.TEST_POSTGRES_SERVER}/${name}`
      } catch {
        // Another was quicker.
      }
    Bun.sleepSync(5)
  }
}

/** Nobody uses it any more: hundreds of them would fill the disk. */
export function releaseDatabase(stock: string, address: string): void {
  const name = address.split('/').at(-1) ?? ''
  const taken = join(stock, 'taken', name)
  if (existsSync(taken)) renameSync(taken, join(stock, 'done', name))
}

/** Keeps databases ready in a folder until it is told to stop. */
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
  let made = 0
  const sql = new Bun.SQL({ url: engine.addressOf('postgres'), max: 1 })
  const lay = async () => {
    while (!isStopped) {
      while (readdirSync(join(folder, 'ready')).length < AT_HAND) {
        const name = `test_${++made}`
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
  const laying = lay()
  return {
    folder,
    async stop() {
      isStopped = true
      await laying
      await sql.close({ timeout: 0 })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
