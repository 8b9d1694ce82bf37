import type { Clock } from '../../runtime/timers/clock'

/** Reason why a file was not downloaded. The message contains no address, because it has a signature. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
  constructor(
    readonly reason: 'origin' | 'too_large' | 'status' | 'network',
    message: string,
  ) {
    super(message)
  }
}

export interface DownloadOptions {
  readonly clock: Clock
  /** The only origins that files are requested from, so that an account cannot make the server request others. */
  readonly origins: readonly string[]
  readonly timeoutMs: number
}

/**
 * Downloads a file of at most `maxBytes`. The size is enforced while the file arrives, because the
 * header may be wrong. Redirects are refused: they would lead to another origin.
 */
export async function downloadFile(
  address: string,
  maxBytes: number,
  { clock, origins, timeoutMs }: DownloadOptions,
): Promise<Blob> {
  const url = URL.canParse(address) ? new URL(address) : null
  const isAllowed =
    url && url.username === '' && url.password === '' && origins.includes(url.origin)
  if (!isAllowed) throw new DownloadError('origin', 'The file is not on an allowed server.')
  const controller = new AbortController()
  const timer = clock.setTimeout(() => controller.abort(), timeoutMs)
  try {
    const response = await fetch(url, { redirect: 'manual', signal: controller.signal })
    if (response.status !== 200)
      throw new DownloadError('status', `The server of the file answered ${response.status}.`)
    if (Number(response.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes)
    const type = response.headers.get('content-type') ?? 'application/octet-stream'
    return new Blob(await readChunks(response, maxBytes), { type })
  } catch (cause) {
    if (cause instanceof DownloadError) throw cause
    throw new DownloadError('network', 'The server of the file did not answer.')
  } finally {
    timer.stop()
    // Ends the transfer of a file that was refused.
    controller.abort()
  }
}

async function readChunks(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return chunks
}

function tooLarge(maxBytes: number): DownloadError {
  return new DownloadError('too_large', `The file is larger than ${maxBytes} bytes.`)
}
