import type { First } from '../catalogue'

export const errors: First['main']['errors'] = {
  '400': 'Damit kann der Server nichts anfangen.',
  '401': 'Du bist nicht mehr angemeldet.',
  '403': 'Darauf hast du keinen Zugriff.',
  '404': 'Das gibt es nicht mehr.',
  '409': 'Dieser Name ist schon vergeben.',
  '413': 'Das ist zu groß für den Server.',
  '429': 'Der Server ist ausgelastet. Versuch es gleich noch einmal.',
  '500': 'Auf dem Server ist etwas schiefgegangen. Versuch es noch einmal.',
  '503': 'Der Server ist ausgelastet. Versuch es gleich noch einmal.',
  '20001': 'Dieses System gibt es nicht mehr.',
  '20002': 'Dieses Profil gibt es nicht mehr.',
  '20003': 'Jemand aus deiner Auswahl ist nicht mehr dabei.',
  '20004': 'Diese Gruppe gibt es nicht mehr.',
  '20005': 'Eine Gruppe aus deiner Auswahl gibt es nicht mehr.',
  '20008': 'Diesen Wechsel gibt es nicht mehr.',
  '40001': 'Bitte prüfe die markierten Felder.',
  '40003': 'Jemand ist doppelt ausgewählt.',
  '40004': 'Sie sind schon da.',
  '40005': 'Genau zu dieser Zeit gibt es schon einen Wechsel.',
  '40007': 'Dein System ist voll. Mehr erlaubt dieser Server nicht.',
  '40008': 'Mehr Gruppen erlaubt dieser Server nicht.',
}

export const problems: First['main']['problems'] = {
  'Required.': 'Das wird gebraucht.',
  'Too long: at most # characters.': 'Zu lang: höchstens # Zeichen.',
  'A proxy tag is too long: prefix and suffix together at most # characters.':
    'Ein Proxy-Tag ist zu lang: Davor und danach zusammen höchstens # Zeichen.',
  'At most # proxy tags.': 'Höchstens # Proxy-Tags.',
  'At most # items.': 'Höchstens # Einträge.',
  'Must not be empty.': 'Hier fehlt noch etwas.',
  'Contains characters that cannot be stored.':
    'Enthält Zeichen, die nicht gespeichert werden können.',
  'Must be six hexadecimal digits, without "#".': 'Gib sechs Zeichen aus 0–9 und a–f ein.',
  'Must be an absolute http or https address.':
    'Gib eine Webadresse ein, die mit https:// oder http:// beginnt.',
  'Must be a time zone name such as "Europe/Oslo".':
    'Gib eine Zeitzone ein, zum Beispiel Europe/Berlin.',
  'Must be a real date, YYYY-MM-DD.': 'Gib ein Datum ein.',
  'Must be in the future.': 'Wähle einen Tag in der Zukunft.',
  'Must be another name.': 'Wähle einen anderen Namen.',
  'Must not be more than a day ahead.': 'Das liegt in der Zukunft.',
}
