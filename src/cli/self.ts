/** How this very program was called: the executable, or the source through Bun. */
export function ownCommand(): string[] {
  const [, script = ''] = process.argv
  return script.endsWith('.ts') ? [process.execPath, script] : [process.execPath]
}

/** The same, as a person would type it. */
export function typedCommand(): string {
  return ownCommand().length > 1 ? 'npx bun src/main.ts' : process.execPath
}
