import { join } from 'node:path'

/**
 * Returns the short hash of the commit that is checked out in a folder, or '' if it is no clone.
 * Reads the files of git, because the image that builds the container has no git.
 */
export async function readCommit(folder: string): Promise<string> {
  const read = (name: string) =>
    Bun.file(join(folder, '.git', name))
      .text()
      .catch(() => '')
  const head = (await read('HEAD')).trim()
  const [, ref] = /^ref: (.+)$/.exec(head) ?? []
  if (ref === undefined) return head.slice(0, SHORT)
  const packed = (await read('packed-refs')).split('\n').find((line) => line.endsWith(` ${ref}`))
  return ((await read(ref)) || packed || '').slice(0, SHORT)
}

const SHORT = 7
