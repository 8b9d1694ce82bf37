import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Options with which the executable is built. */
export const executableOptions = {
  entrypoints: ['src/main.ts'],
  minify: true,
  bytecode: true,
  // Splitting keeps dynamic imports in separate chunks, which are read when they are first needed.
  format: 'esm',
  splitting: true,
} satisfies Bun.BuildConfig

/** Files and folders that the executable is built from. */
const sources = ['src', 'migrations', '.ci/release', 'build.ts', 'package.json', 'bun.lock']

/** True if an executable is newer than what it is built from, in the folder of a clone. */
export function isNewerThanSources(executable: string, clone: string): boolean {
  const built = statSync(executable).mtimeMs
  // A folder has the time when a file was last added or removed.
  return sources.every((source) =>
    [source, ...new Bun.Glob(`${source}/**`).scanSync({ cwd: clone, dot: true, onlyFiles: false })]
      .map((path) => statSync(join(clone, path)).mtimeMs)
      .every((changed) => changed < built),
  )
}
