import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Client } from 'irc-framework'
import { freePort } from '../postgres/engine'
import { emptyFolder } from '../tools/serverProcess'
import { afterAll } from '../tools/test'
import { until } from '../tools/until'

/** Path of ngircd, if it is installed; Debian installs it into /usr/sbin. */
export const ngircd = Bun.which('ngircd', { PATH: `${process.env.PATH}:/usr/sbin` })

const NAME = 'irc.lantern.example'
const SERVICES = 'services.lantern.example'

/** Waits without a limit but that of a test, because the server starts before the first test. */
export function waitFor(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  return until(condition, Boolean, () => true)
}

/** Starts a real IRC server on loopback. It is killed after the tests. */
export async function startNgircd() {
  // It cannot choose one itself.
  const port = await freePort()
  const config = join(emptyFolder('ngircd-'), 'ngircd.conf')
  writeFileSync(
    config,
    `[Global]
    Name = ${NAME}
    Info = for tests
    AdminInfo1 = for tests
    AdminEMail = admin@lantern.example
    MotdPhrase = Welcome
    Network = Lantern
    Listen = 127.0.0.1
    Ports = ${port}
    [Limits]
    MaxConnectionsIP = 0
    MaxNickLength = 20
    MaxPenaltyTime = 0
    [Options]
    DNS = no
    Ident = no
    PAM = no
    [Server]
    Name = ${SERVICES}
    MyPassword = of-services
    PeerPassword = of-ngircd
    Passive = yes
    `,
  )
  const child = Bun.spawn([ngircd ?? '', '--nodaemon', '--config', config], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  afterAll(() => child.kill('SIGKILL'))
  await waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`ngircd exited: ${await child.stdout.text()}`)
    return connectTo(port).then(
      (socket) => socket.destroy() !== null,
      () => false,
    )
  })

  const clients = new Set<Client>()
  const disconnect = async (irc: Client) => {
    clients.delete(irc)
    irc.quit('bye')
    await waitFor(() => !irc.connected)
  }
  afterAll(() => Promise.all([...clients].map(disconnect)))

  return {
    port,

    async disconnectOthers(host: { irc: Client }) {
      await Promise.all([...clients].filter((irc) => irc !== host.irc).map(disconnect))
    },

    /** Connects a client that joins the channels and records messages. */
    async join(nick: string, ...channels: string[]) {
      const irc = new Client()
      clients.add(irc)
      const messages: string[] = []
      const notices: string[] = []
      const events: string[] = []
      irc.on('privmsg', ({ nick, message }) => messages.push(`${nick}: ${message}`))
      irc.on('notice', ({ nick, message }) => nick && notices.push(message))
      irc.on('join', ({ nick, channel }) => events.push(`${nick} joins ${channel}`))
      irc.on('quit', ({ nick }) => events.push(`${nick} quits`))
      irc.on('registered', () => events.push('registered'))
      irc.connect({ host: '127.0.0.1', port, nick, auto_reconnect: false })
      const waitForEvent = (event: string) => waitFor(() => events.includes(event))
      await waitForEvent('registered')
      for (const channel of channels) {
        irc.join(channel)
        await waitForEvent(`${nick} joins ${channel}`)
      }
      return {
        irc,
        messages,
        waitForEvent,
        say: (text: string, channel = channels[0] ?? '') => irc.say(channel, text),
        waitForMessage: (line: string) => waitFor(() => messages.includes(line)),
        /** Sends a message to the first channel and returns the next notice. */
        async sendCommand(text: string, target = channels[0] ?? ''): Promise<string> {
          const before = notices.length
          irc.say(target, text)
          await waitFor(() => notices.length > before)
          return notices[before] ?? ''
        },
        quit: () => disconnect(irc),
      }
    },

    /** Links services to the server, which alone can log in users. */
    async linkServices() {
      const socket = await connectTo(port)
      afterAll(() => socket.destroy())
      let received = ''
      socket.on('data', (data) => {
        received += data
      })
      socket.write(`PASS of-services 0210 test\r\nSERVER ${SERVICES} 1 :services\r\n`)
      await waitFor(() => received.includes('PING'))
      return {
        /** Logs in a user. The server has processed it when it answers the ping sent afterwards. */
        async logIn(nick: string, account: string) {
          const ping = crypto.randomUUID()
          socket.write(`:${SERVICES} METADATA ${nick} accountname :${account}\r\n`)
          socket.write(`:${SERVICES} PING ${ping} ${NAME}\r\n`)
          await waitFor(() => received.includes('PONG'))
          received = ''
        },
      }
    },
  }
}

function connectTo(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect(port, '127.0.0.1', () => resolve(socket))
  socket.on('error', reject)
  return promise
}
