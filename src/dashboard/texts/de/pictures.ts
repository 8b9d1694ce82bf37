import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('de')

/** Texts about pictures that the server stores. */
export const pictures = {
  choose: 'Bild auswählen',
  takePhoto: 'Foto aufnehmen',
  remove: 'Bild entfernen',
  isRemoved: 'Bild entfernt',
  isSaved: 'Bild gespeichert',
  crop: 'Bild zuschneiden',
  cropped: 'Was gezeigt wird',
  cropMore:
    'Verschieb das Bild durch Ziehen, vergrößere es mit zwei Fingern, oder nimm die Regler.',
  zoom: 'Vergrößerung',
  leftRight: 'Links und rechts',
  upDown: 'Oben und unten',
  orAddress: 'Oder gib die Adresse eines Bildes im Web ein.',
  publicMore: 'Wer die Adresse eines Bildes kennt, kann es öffnen.',

  notPicture:
    'Dieses Bild können wir nicht lesen, oder es ist zu groß. Versuche es mit PNG, JPEG, WebP oder GIF.',
  noPublicUrl:
    'Dieser Server kann keine Bilder speichern, weil er seine öffentliche Adresse nicht kennt. Wer ihn betreibt, kann PUBLIC_URL setzen.',
  isFull: 'Für weitere Bilder ist kein Platz. Entferne einige, und versuche es noch einmal.',

  archive: 'Bilder aus Simply Plural',
  archiveMore: (word: Word) =>
    `Wenn du das Avatar-Archiv deines Kontos hast (Avatars_….zip), wähle es hier aus. Es enthält Bilder für ${word.many}, Custom Fronts und das System.`,
  chooseArchive: 'Avatar-Archiv auswählen',
  notArchive: 'Diese Datei können wir nicht lesen. Wähle die .zip-Datei mit deinen Avataren.',
  sending: (done: number, total: number) => `Bild ${number(done)} von ${number(total)} …`,
  reading: 'Das Archiv wird gelesen …',
  stop: 'Anhalten',
  stored: (count: number) =>
    plural(count, {
      one: `${number(count)} Bild gespeichert`,
      other: `${number(count)} Bilder gespeichert`,
    }),
  skipped: (count: number) => `Übersprungen (${number(count)})`,
  reasons: {
    tooMany: 'mehr als 5.000 Dateien',
    tooLarge: 'größer als 8 MB',
    unsupported: 'so verpackt, dass wir es nicht lesen können',
    damaged: 'beschädigt',
    unknown: 'kein importiertes Mitglied hat diese ID',
    notPicture: 'kein Bild, oder zu viele Pixel',
    refused: 'zu groß für diesen Server',
  },
  line: (name: string, reason: string) => `${name}: ${reason}`,
}
