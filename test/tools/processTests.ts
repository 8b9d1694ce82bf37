/** Returns the files of the tests that start processes, in the form that `bun test` runs. */
export function processTests(): string[] {
  return [...new Bun.Glob('test/**/*.processes.ts').scanSync()].sort().map((file) => `./${file}`)
}
