/** Checks types, lint and format at the same time, and prints the output of what fails. */
const commands = ['tsc -p .', 'tsc -p src/dashboard', 'biome check']

async function passes(command: string): Promise<boolean> {
  const child = Bun.spawn(command.split(' '), { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const hasPassed = (await child.exited) === 0
  if (!hasPassed) process.stdout.write(`${command}\n${out}${err}`)
  return hasPassed
}

void Promise.all(commands.map(passes)).then((all) => process.exit(all.every(Boolean) ? 0 : 1))
