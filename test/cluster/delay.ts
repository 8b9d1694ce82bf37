import { connect, createServer, type Socket } from 'node:net'

/** TCP proxy on loopback that delays all data from clients. */
export interface Delay {
  readonly port: number
  close(): void
}

export async function delayTo(port: number, delayMs: number): Promise<Delay> {
  const sockets = new Set<Socket>()
  const track = (socket: Socket, other: () => Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    // The close event ends the other side.
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      other().destroy()
    })
  }
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    track(client, () => target)
    track(target, () => client)
    target.on('data', (bytes) => client.write(bytes))
    const waiting: (string | Buffer)[] = []
    client.on('data', (bytes) => {
      waiting.push(bytes)
      // Each timer sends the oldest chunk, so the order is kept whichever timer fires first.
      setTimeout(() => target.write(waiting.shift() ?? ''), delayMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    port: address.port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
