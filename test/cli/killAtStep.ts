import fs from 'node:fs'

/**
 * Loaded before the program: it is killed when it begins the file operation of that number. What it
 * did before is on the disk, and nothing of what would have come after.
 */
const at = Number(process.env.KILL_AT)
let begun = 0

for (const name of [
  'chmodSync',
  'chownSync',
  'closeSync',
  'copyFileSync',
  'fsyncSync',
  'linkSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmSync',
] as const) {
  const real: unknown = fs[name]
  if (typeof real !== 'function') throw new Error(`there is no ${name}`)
  const counted = (...args: unknown[]) => {
    begun++
    if (begun === at) process.kill(process.pid, 'SIGKILL')
    return Reflect.apply(real, fs, args)
  }
  Object.assign(fs, { [name]: counted })
}
