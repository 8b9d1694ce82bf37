import type { JsonObject } from '../model/core/entity'
import { reportReason } from '../model/core/reasonMessages'
import { isObject } from '../model/core/validation'
import { type Bundle, MAX_FILE_BYTES, type ReadOptions, UnreadableFile } from './bundle'
import { parseJson, rejectOversized } from './json'
import { isPluralkit, readPluralkit } from './pluralkit/read'
import { isPluralport, readPluralport } from './pluralport/read'
import { isSimplyPlural, readSimplyPlural } from './simplyplural/read'
import { isTupperbox, readTupperbox } from './tupperbox'

interface Format {
  recognizes(file: JsonObject): boolean
  read(file: JsonObject, options: ReadOptions): Bundle
}

/** Readers in order of precedence; the first one that recognizes a file parses it. */
const readers: readonly Format[] = [
  { recognizes: isPluralport, read: readPluralport },
  { recognizes: isTupperbox, read: readTupperbox },
  // Before Simply Plural, whose names of collections other apps use too.
  { recognizes: ({ _meta }) => appOf(_meta) !== null, read: rejectOtherApp },
  { recognizes: isPluralkit, read: readPluralkit },
  { recognizes: isSimplyPlural, read: readSimplyPlural },
]

/**
 * Parses a file of any known format. Throws only `UnreadableFile`. A large file takes seconds, so a
 * server should run this in another process.
 */
export function readFile(file: string | Uint8Array, options: ReadOptions = {}): Bundle {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file
  rejectArchive(bytes)
  if (bytes.byteLength > MAX_FILE_BYTES)
    throw new UnreadableFile('tooLarge', 'The file is larger than 64 MiB.')
  rejectOversized(bytes)
  const { text, damaged } = decode(bytes)
  const json = parseJson(text)
  const reader = isObject(json) && readers.find(({ recognizes }) => recognizes(json))
  if (!reader)
    throw new UnreadableFile(
      'unknown',
      'This is not an export of PluralKit, Tupperbox or Simply Plural, and no PluralPort file.',
    )
  const bundle = reader.read(json, options)
  if (damaged)
    bundle.repairs.unshift({
      kind: 'file',
      name: null,
      field: 'encoding',
      was: null,
      now: null,
      ...reportReason('not_utf8'),
    })
  return bundle
}

/** Apps whose files name them, and cannot be read. */
const otherApps = ['Plural Star', 'Plural Space']

function appOf(meta: unknown): string | null {
  const { app } = isObject(meta) ? meta : {}
  return typeof app === 'string' ? app : null
}

function rejectOtherApp({ _meta }: JsonObject): never {
  // The file is not quoted, so only known names are.
  const name = otherApps.find((app) => app === appOf(_meta)) ?? 'another app'
  throw new UnreadableFile('unknown', `This is a file of ${name}, which this server cannot read.`)
}

/** Names of the document in an archive of PluralPort. */
const documentNames = ['pluralport.json', 'openplural.json']

/** Rejects a ZIP archive, before its bytes are counted as JSON. */
function rejectArchive(bytes: Uint8Array): void {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const name = documentNames.find((document) => archive.includes(document))
  const file = name ? `the file ${name}` : 'the JSON file'
  throw new UnreadableFile('broken', `This is a ZIP archive: use ${file} inside it.`)
}

function decode(bytes: Uint8Array): { text: string; damaged: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), damaged: false }
  } catch {
    return { text: new TextDecoder().decode(bytes), damaged: true }
  }
}
