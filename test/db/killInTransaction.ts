import { Database } from 'bun:sqlite'

/** Loaded before the program: it is killed when it begins the statement that has these words. */
const words = process.env.KILL_IN ?? ''
const { run } = Database.prototype

Database.prototype.run = function (this: Database, ...args: Parameters<typeof run>) {
  if (args[0].includes(words)) process.kill(process.pid, 'SIGKILL')
  return run.apply(this, args)
}
