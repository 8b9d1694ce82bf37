import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../tools/serverProcess'
import { expect } from '../tools/test'

const root = join(import.meta.dir, '../..')

/** Copies the sources and what the tests need. */
export function copyRepository(): string {
  const copy = emptyFolder('grown-')
  for (const part of ['src', 'test', 'migrations', 'package.json', 'tsconfig.json', 'bunfig.toml'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Creates the migration and adds it to the executable, as CONTRIBUTING.md describes. */
export async function addMigration(copy: string): Promise<void> {
  const argv = [process.execPath, 'run', 'migration', '--name', 'grown']
  const { output, exitCode } = await run(copy, argv)
  if (exitCode !== 0) throw new Error(output)
  const file =
    readdirSync(join(copy, 'migrations')).find((name) => name.endsWith('_grown.sql')) ?? ''
  edit(join(copy, 'src/db/migrations.ts'), (source) => {
    const line = `import grown from '../../migrations/${file}' with { type: 'text' }\n`
    // The first list is that of SQLite.
    const entry = `\n  { name: '${file.replace('.sql', '')}', sql: grown },\n]\n`
    return line + replace(source, /\n\]\n/, entry)
  })
}

/** Runs a file of tests of the copy, none of which may fail. */
export async function expectToPass(copy: string, file: string): Promise<void> {
  const { output, exitCode } = await run(copy, [process.execPath, 'test', `./${file}`])
  if (exitCode !== 0) throw new Error(output)
  expect(output).toContain(' 0 fail')
}

export function edit(file: string, change: (source: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

export function replace(text: string, from: string | RegExp, to: string): string {
  const replaced = text.replace(from, to)
  if (replaced === text) throw new Error(`${from} not found`)
  return replaced
}

async function run(cwd: string, argv: string[]): Promise<{ output: string; exitCode: number }> {
  const child = Bun.spawn(argv, { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { output: out + err, exitCode: await child.exited }
}
