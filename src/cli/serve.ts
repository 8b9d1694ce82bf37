import { type App, createApp } from '../app'
import type { Config } from '../config'
import { createLog } from '../log'
import { countSystems } from '../service/systems'
import { commit, version } from '../version'
import { scheduleBackups } from './backups'
import { type Command, columns, Failure } from './command'
import { typedCommand } from './self'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Serve the API (also when no command is given)',
  takesSettings: true,
  async run({ config, flags }) {
    const isTerminal = process.stderr.isTTY === true
    const format = config.LOG_FORMAT === 'auto' ? (isTerminal ? 'text' : 'json') : config.LOG_FORMAT
    const log = createLog(config.LOG_LEVEL, format)
    // Listened for before the first request can come, so that no moment ends without finishing.
    const stopped = stopSignal()
    const app = createApp(config, log)
    const address = await listen(app, config)
    const endBackups = scheduleBackups(config, log, () => app.events.leases.holds('care'))
    if (flags.json !== true) process.stderr.write(await greeting(app, config, address))
    log.info('listening', { address, version, commit })
    const signal = await stopped
    log.info('stopping', { signal })
    endBackups()
    await app.stop()
    return { json: { stopped: signal }, text: '' }
  },
}

async function listen(app: App, config: Config): Promise<string> {
  try {
    return app.listen()
  } catch {
    await app.stop()
    throw new Failure(
      `Cannot listen on ${config.HOST}:${config.PORT}: the address is in use, not ours, or not allowed.`,
    )
  }
}

/** Where it listens, where the data lies, and what to do next. */
async function greeting(app: App, config: Config, address: string): Promise<string> {
  const shown = config.PUBLIC_URL || address
  const facts = columns([
    ['  Listening on', address],
    ['  API page', `${shown}/docs`],
    ['  Data', app.storage.path],
  ])
  const data = `file:${app.storage.path}`
  const make = typedCommand('system', 'create', '--name', 'My system', '--database', data)
  const first =
    (await countSystems(app.deps)) > 0
      ? ''
      : `\n  No system exists yet. Make one, and keep the token it prints:\n\n    ${make}\n`
  return `\nMultitude ${version}\n\n${facts}\n${first}\n`
}

/** The first signal to stop. Others change nothing: npm passes on a Ctrl-C that came here too. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
}
