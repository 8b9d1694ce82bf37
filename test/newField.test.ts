import { expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from './serverProcess'

const root = join(import.meta.dir, '..')

/** Every table that is stored, by the file it stands in. */
const tables = {
  system: ['system'],
  member: ['member'],
  group: ['group'],
  settings: ['settings'],
  guild: ['systemGuild', 'memberGuild', 'guild'],
  autoproxy: ['autoproxy'],
}

test('a new level and a new field of any kind are everywhere, and nothing but the table names them', async () => {
  const copy = copyHouse()
  for (const [file, names] of Object.entries(tables))
    edit(join(copy, 'src/model', `${file}.ts`), (source) => {
      const grown = names.reduce(
        (text, name) => replace(text, `const ${name} = entity(`, `const ${name} = grown(`),
        source.replace(/^import \{(.*)\bentity, /m, 'import {$1'),
      )
      return `import { grown } from '../../test/extendedSchema/tables'\n${grown}`
    })
  await addMigration(copy)
  const { output, exitCode } = await run(copy, [
    process.execPath,
    'test',
    './test/extendedSchema/scenario.ts',
  ])
  if (exitCode !== 0) throw new Error(output)
  expect(output).toContain(' 0 fail')
}, 120_000)

/** What the program is made of and what its tests need, as a newcomer would have it. */
function copyHouse(): string {
  const copy = emptyFolder('grown-')
  for (const part of ['src', 'test', 'migrations', 'package.json', 'tsconfig.json', 'bunfig.toml'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** The steps after the one of the table: the migration is made, and carried. */
async function addMigration(copy: string): Promise<void> {
  const words = [process.execPath, 'run', 'migration', '--name', 'grown']
  const { output, exitCode } = await run(copy, words)
  if (exitCode !== 0) throw new Error(output)
  const file =
    readdirSync(join(copy, 'migrations')).find((name) => name.endsWith('_grown.sql')) ?? ''
  edit(join(copy, 'src/db/migrations.ts'), (source) => {
    const line = `import grown from '../../migrations/${file}' with { type: 'text' }\n`
    // To the first list, which is the file's.
    const entry = `\n  { name: '${file.replace('.sql', '')}', sql: grown },\n]\n`
    return line + replace(source, /\n\]\n/, entry)
  })
}

function edit(file: string, change: (source: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

function replace(text: string, from: string | RegExp, to: string): string {
  const replaced = text.replace(from, to)
  if (replaced === text) throw new Error(`${from} is not there`)
  return replaced
}

async function run(cwd: string, words: string[]): Promise<{ output: string; exitCode: number }> {
  const child = Bun.spawn(words, { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { output: out + err, exitCode: await child.exited }
}
