import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openStorage } from '../../src/db/open'
import { emptyFolder } from './serverProcess'

/** Contents of a SQLite database without rows, because copying it is faster than migrating. */
const contents = await createContents()

/** Creates a SQLite database without rows. */
export function createEmptyDatabase(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents, { mode: 0o600 })
}

/** Creates a folder with a database without rows where the program looks for it. */
export function folderWithDatabase(): string {
  const folder = emptyFolder()
  createEmptyDatabase(join(folder, 'data', 'multitude.db'))
  return folder
}

async function createContents(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'multitude-empty-'))
  const path = join(folder, 'empty.db')
  await openStorage(`file:${path}`, { durability: 'normal' }).close()
  const bytes = readFileSync(path)
  rmSync(folder, { recursive: true })
  return bytes
}
