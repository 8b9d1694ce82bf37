import { startDiscord } from './startDiscord'

/**
 * Runs the stand-in as a program: `bun test/discord/standIn/main.ts '{"heartbeatMs":500}'`. Prints
 * its addresses and the bot token as one line of JSON, and runs until it is stopped.
 */
const { users: _, stop, ...addresses } = await startDiscord(JSON.parse(process.argv[2] ?? '{}'))
process.stdout.write(`${JSON.stringify(addresses)}\n`)
process.once('SIGTERM', () => void stop().then(() => process.exit(0)))
