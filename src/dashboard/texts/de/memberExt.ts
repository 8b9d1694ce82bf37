import type { Ext } from '../catalogue'
import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('de')

export const memberExt: Ext['memberExt'] = {
  customFront: 'Custom Front',
  descriptionHint: (isLong) =>
    isLong
      ? `Länger als ${number(1000)} Zeichen: Bots und andere Apps zeigen nur den Anfang.`
      : `Bots und andere Apps zeigen bis zu ${number(1000)} Zeichen davon.`,
  customFrontEffect: (word) =>
    `Für einen Zustand wie „schläft“ oder „verschwommen“. Er bekommt auf „Jetzt“ eine eigene Reihe und zählt nicht zu den ${word.many}.`,
  reallyEveryone: '„Alle“ schließt Custom Fronts und Archivierte ein.',
  countOfCustomFronts: (count) =>
    plural(count, { one: '1 Custom Front', other: `${number(count)} Custom Fronts` }),

  archiveHeading: 'Archiv',
  archive: 'Archivieren',
  restore: 'Wiederherstellen',
  reason: 'Grund',
  archiveEffect:
    'Archivierte werden nicht mehr vorgeschlagen und nicht mehr bei den anderen aufgelistet; die Suche findet sie weiterhin. Verlauf, Gruppen und Privatsphäre bleiben, wie sie sind.',
  archiveAsk: (name) => `${name} archivieren?`,
  archiveWhileHere: (name) =>
    `${name} ist gerade da und bleibt bis zum nächsten Wechsel als da eingetragen.`,
  isArchived: (name) => `${name} ist archiviert.`,
  isRestored: (name) => `${name} ist nicht mehr archiviert.`,
  archivedOn: (day) => `Archiviert am ${day}.`,
}
