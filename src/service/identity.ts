import { randomInt, randomUUID } from 'node:crypto'
import { HID_ALPHABET, HID_LENGTH } from '../model/ref'

/** A new UUID and a short ID that nobody of this kind has yet. */
export async function drawIdentity(
  isTaken: (hid: string) => Promise<boolean>,
): Promise<{ uuid: string; hid: string }> {
  for (;;) {
    const hid = drawHid()
    if (!(await isTaken(hid))) return { uuid: randomUUID(), hid }
  }
}

function drawHid(): string {
  return Array.from(
    { length: HID_LENGTH },
    () => HID_ALPHABET[randomInt(HID_ALPHABET.length)],
  ).join('')
}
