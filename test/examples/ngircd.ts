import { afterAll } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { Client } from 'irc-framework'
import { emptyFolder } from '../serverProcess'

/** The IRC server of that name, if it is installed; Debian's is not in everybody's path. */
export const ngircd = Bun.which('ngircd', { PATH: `${process.env.PATH}:/usr/sbin` })

const NAME = 'irc.lantern.example'
const SERVICES = 'services.lantern.example'
const LONGEST_MS = 20_000

/** Starts a real IRC server on loopback. It never outlives the tests. */
export async function startNgircd() {
  const port = await findFreePort()
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
  await waitFor('ngircd to listen', async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${await child.stdout.text()}`)
    return connectTo(port).then(
      (socket) => socket.destroy() !== null,
      () => false,
    )
  })

  const clients = new Set<Client>()
  const dismiss = async (irc: Client) => {
    clients.delete(irc)
    irc.quit('bye')
    await waitFor(`${irc.user.nick} to be gone`, () => !irc.connected)
  }
  afterAll(() => Promise.all([...clients].map(dismiss)))

  return {
    port,

    async dismissGuests(host: { irc: Client }) {
      await Promise.all([...clients].filter((irc) => irc !== host.irc).map(dismiss))
    },

    /** A real client that has joined the channels and keeps what it hears. */
    async join(nick: string, ...channels: string[]) {
      const irc = new Client()
      clients.add(irc)
      const heard: string[] = []
      const notices: string[] = []
      const changes: string[] = []
      irc.on('privmsg', ({ nick, message }) => heard.push(`${nick}: ${message}`))
      irc.on('notice', ({ nick, message }) => nick && notices.push(message))
      irc.on('join', ({ nick, channel }) => changes.push(`${nick} joins ${channel}`))
      irc.on('quit', ({ nick }) => changes.push(`${nick} quits`))
      irc.on('registered', () => changes.push('registered'))
      irc.connect({ host: '127.0.0.1', port, nick, auto_reconnect: false })
      const sees = (change: string) => waitFor(change, () => changes.includes(change))
      await sees('registered')
      for (const channel of channels) {
        irc.join(channel)
        await sees(`${nick} joins ${channel}`)
      }
      return {
        irc,
        heard,
        sees,
        say: (text: string, channel = channels[0] ?? '') => irc.say(channel, text),
        hears: (line: string) => waitFor(line, () => heard.includes(line)),
        /** Says it in the first channel, and gives the next notice. */
        async asks(text: string, target = channels[0] ?? ''): Promise<string> {
          const before = notices.length
          irc.say(target, text)
          await waitFor(`an answer to ${text}`, () => notices.length > before)
          return notices[before] ?? ''
        },
        leaves: () => dismiss(irc),
      }
    },

    /** Links services to the server, which alone can say who is logged in. */
    async linkServices() {
      const socket = await connectTo(port)
      afterAll(() => socket.destroy())
      let received = ''
      socket.on('data', (data) => {
        received += data
      })
      socket.write(`PASS of-services 0210 test\r\nSERVER ${SERVICES} 1 :services\r\n`)
      await waitFor('the link', () => received.includes('PING'))
      return {
        /** Services' word is there when the server answers what was sent after it. */
        async logIn(nick: string, account: string) {
          const ping = crypto.randomUUID()
          socket.write(`:${SERVICES} METADATA ${nick} accountname :${account}\r\n`)
          socket.write(`:${SERVICES} PING ${ping} ${NAME}\r\n`)
          await waitFor('the log-in', () => received.includes('PONG'))
          received = ''
        },
      }
    },
  }
}

/** Waits until it holds; whatever takes longer hangs. */
export async function waitFor(what: string, holds: () => boolean | Promise<boolean>) {
  const end = Date.now() + LONGEST_MS
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}`)
    await Bun.sleep(10)
  }
}

function connectTo(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect(port, '127.0.0.1', () => resolve(socket))
  socket.on('error', reject)
  return promise
}

/** ngircd cannot choose one itself. */
async function findFreePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const server = createServer().listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
