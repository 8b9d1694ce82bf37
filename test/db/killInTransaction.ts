import { Database } from 'bun:sqlite'

/** Preloaded by tests: kills the program when it begins the statement that contains this text. */
const text = process.env.KILL_IN ?? ''
const { run } = Database.prototype

Database.prototype.run = function (this: Database, ...args: Parameters<typeof run>) {
  if (args[0].includes(text)) process.kill(process.pid, 'SIGKILL')
  return run.apply(this, args)
}
