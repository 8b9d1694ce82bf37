import type { JsonObject } from '../model/entity'
import { type Bundle, MAX_FILE_BYTES, type ReadOptions, type Steps, UnreadableFile } from './bundle'
import { parseJson } from './json'
import { isObject } from './mend'
import { isPluralkit, readPluralkit } from './pluralkit'
import { isSimplyPlural, readSimplyPlural } from './simplyplural'
import { isTupperbox, readTupperbox } from './tupperbox'

interface Reader {
  recognises(file: JsonObject): boolean
  read(file: JsonObject, options: ReadOptions): Steps<Bundle>
}

/** The first that recognises a file reads it. */
const readers: readonly Reader[] = [
  { recognises: isTupperbox, read: readTupperbox },
  { recognises: isPluralkit, read: readPluralkit },
  { recognises: isSimplyPlural, read: readSimplyPlural },
]

/** Reads a file in one go, as `readInSteps` does. */
export function readFile(file: string | Uint8Array, options: ReadOptions = {}): Bundle {
  const steps = readInSteps(file, options)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Reads a file of any format we know. Throws `UnreadableFile`, and nothing else. */
export function* readInSteps(file: string | Uint8Array, options: ReadOptions): Steps<Bundle> {
  const size = typeof file === 'string' ? Buffer.byteLength(file) : file.byteLength
  if (size > MAX_FILE_BYTES) throw new UnreadableFile('tooLarge', 'The file is larger than 64 MiB.')
  const { text, damaged } = typeof file === 'string' ? { text: file, damaged: false } : decode(file)
  yield
  const json = parseJson(text)
  yield
  const reader = isObject(json) && readers.find(({ recognises }) => recognises(json))
  if (!reader)
    throw new UnreadableFile(
      'unknown',
      'This is not an export of PluralKit, Tupperbox or Simply Plural.',
    )
  const bundle = yield* reader.read(json, options)
  if (damaged)
    bundle.repairs.unshift({
      kind: 'file',
      name: null,
      field: 'encoding',
      was: null,
      now: null,
      why: 'bytes that are not UTF-8 were replaced by \uFFFD',
    })
  return bundle
}

function decode(bytes: Uint8Array): { text: string; damaged: boolean } {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    throw new UnreadableFile('broken', 'This is a ZIP archive: give the JSON file inside it.')
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), damaged: false }
  } catch {
    return { text: new TextDecoder().decode(bytes), damaged: true }
  }
}
