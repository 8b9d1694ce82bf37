/**
 * Preloaded into the program: kills the process before the file operation with the number KILL_AT,
 * so that all earlier operations are done and no later ones. `require`, because an import would
 * bind the functions of `node:fs` in the executable before they are replaced.
 */
const fs: object = require('node:fs')
const at = Number(process.env.KILL_AT)
let count = 0

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
]) {
  const real: unknown = Reflect.get(fs, name)
  if (typeof real !== 'function') throw new Error(`there is no ${name}`)
  const counted = (...args: unknown[]) => {
    count++
    if (count === at) process.kill(process.pid, 'SIGKILL')
    return Reflect.apply(real, fs, args)
  }
  Object.assign(fs, { [name]: counted })
}

export {}
