/** Builds the head of a request. */
export function requestHead(line: string, authorization: string, header = ''): string {
  const lines = [`${line} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`, header]
  return `${lines.filter(Boolean).join('\r\n')}\r\n\r\n`
}

/** Opens a TCP connection and sends these bytes. */
export async function openConnection(address: string, bytes: string) {
  const { hostname, port } = new URL(address)
  const closed = Promise.withResolvers<void>()
  const received = Promise.withResolvers<void>()
  let response = ''
  let isOpen = true
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        response += chunk.toString('latin1')
        received.resolve()
      },
      close() {
        isOpen = false
        closed.resolve()
      },
      error() {},
    },
  })
  let unsent = ''
  /**
   * Returns the number of bytes sent, 0 while the socket's buffer is full. The rest of a text that was
   * sent in part is sent first, instead of the next text, so that chunks stay whole.
   */
  const write = (text: string) => {
    const next = unsent || text
    const sent = isOpen ? Math.max(0, socket.write(next)) : 0
    unsent = sent > 0 ? next.slice(sent) : unsent
    return sent
  }
  if (bytes) write(bytes)
  return {
    write,
    closed: closed.promise,
    received: received.promise,
    response: () => response,
    isOpen: () => isOpen,
    end: () => socket.terminate(),
  }
}
