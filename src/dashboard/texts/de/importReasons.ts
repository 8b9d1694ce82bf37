import type { Codes } from '../catalogue'

export const importReasons: Codes['importReasons'] = {
  'Everything from a Simply Plural file arrives private: only you can see it until you change that.':
    'Alles aus einer Simply-Plural-Datei wird privat importiert. Nur du siehst es, bis du das änderst.',
  'Simply Plural hosted the picture and has shut down; its avatar archive may have it':
    'dieses Bild lag bei Simply Plural, das es nicht mehr gibt; vielleicht ist es in dessen Avatar-Archiv',
  'bytes that are not UTF-# were replaced by \uFFFD':
    'Unlesbare Zeichen wurden durch \uFFFD ersetzt.',
  'further repairs that are not listed': 'Weitere Anpassungen sind nicht aufgeführt.',
  'a name is required': 'ein Name fehlt',
  'a number instead of text': 'eine Zahl statt Text',
  'at most # members front at once': 'höchstens # können zugleich da sein',
  'cannot be kept; a new one is generated': 'kann nicht bleiben; es gibt eine neue',
  'characters that cannot be stored were removed':
    'Zeichen, die nicht gespeichert werden können, wurden gelöscht',
  'colours are written as six digits': 'Farben haben sechs Stellen',
  'cut to # characters': 'auf # Zeichen gekürzt',
  'dates are written as YYYY-MM-DD, without a year as #': 'ein Datum besteht aus Jahr-Monat-Tag',
  'deleted, or not an object': 'gelöscht oder unlesbar',
  'ended before they began: start and end were swapped':
    'endeten vor ihrem Beginn: Anfang und Ende wurden vertauscht',
  'every tupper has this tag': 'alle haben diesen Tag',
  'given twice in the file': 'doppelt in der Datei',
  'groups contain each other': 'die Gruppen enthalten einander',
  'longer than # characters': 'länger als # Zeichen',
  'neither public nor private': 'weder öffentlich noch privat',
  'neither true nor false': 'weder ja noch nein',
  'no list of members': 'keine Liste der Mitglieder',
  'no such group in this file': 'diese Gruppe ist nicht in der Datei',
  'no such member in this file': 'nicht in der Datei',
  'no such member in this file; left out of # switches':
    'nicht in der Datei; in # Wechseln ausgelassen',
  'not a colour': 'keine Farbe',
  'not a count': 'keine Anzahl',
  'not a date': 'kein Datum',
  'not a guild ID': 'keine Server-ID',
  'not a known time zone': 'keine bekannte Zeitzone',
  'not a list': 'keine Liste',
  'not a real date': 'kein echtes Datum',
  'not a short ID': 'keine kurze ID',
  'not a time': 'keine Zeit',
  'not a web address': 'keine Webadresse',
  'not an account ID': 'keine Konto-ID',
  'not an object': 'unlesbar',
  'not members of this file': 'nicht in der Datei',
  'not one of the choices': 'nicht vorgesehen',
  'not text': 'kein Text',
  'only the first # are imported': 'nur die ersten # werden importiert',
  'only the first six of eight digits were used': 'nur die ersten sechs von acht Stellen zählen',
  'only the newest # are imported': 'nur die neuesten # werden importiert',
  'same as the avatar': 'dasselbe wie das Bild',
  'several at one time became one, with the members of all':
    'mehrere zur selben Zeit wurden einer mit allen zusammen',
  '# tags cannot be stored': '# Proxy-Tags können nicht gespeichert werden',
  'the last pair has no suffix': 'beim letzten Paar fehlt das Ende',
  'the mode needs a member': 'für diesen Modus fehlt jemand',
  'the webhook must be registered again': 'füge den Webhook neu hinzu',
  'too many, too long, or not text': 'zu viele, zu lang oder kein Text',
  'was linked already': 'schon verknüpft',
  'is linked to another system here': 'hier mit einem anderen System verknüpft',
  'is named by the file': 'in der Datei genannt',
  'link it from that account': 'verknüpfe es von diesem Konto aus',
  'is not named by the file': 'nicht in der Datei genannt',
  'above the limit of #': 'mehr als die #, die hier Platz haben',
  'no space is left for text of this system': 'für Text ist kein Platz mehr',
  'belongs to a row that is not imported': 'gehört zu etwas, das nicht importiert wird',
  'does not fit the type that the field has here': 'passt nicht zur Art des Felds hier',
  'groups are nested at most # deep': 'Gruppen können höchstens # Ebenen tief sein',
  'have no readable time': 'ohne lesbare Zeit',
  'lasted no time': 'ohne Dauer',
  'incomplete, or given twice': 'unvollständig oder doppelt in der Datei',
  'no such member in this file; it is a note of the system':
    'nicht in der Datei; die Notiz ist für alle',
  'no such member in this file; it is on the board of the system':
    'nicht in der Datei; der Beitrag steht am Brett für alle',
  'no member here has this name and time of creation, or several have; stays archived':
    'niemand hier passt dazu, oder mehrere',
  'no group here has this name and time of creation, or several have; stays archived':
    'keine Gruppe hier passt dazu, oder mehrere',
  'not a value of this field': 'kein Wert dieses Felds',
  'not a value of this type; archived': 'kein Wert dieser Art; als archivierte Daten gespeichert',
  'unknown option': 'unbekannte Option',
  'unknown type': 'unbekannte Art',
  'voters that are not members of this file, or too many options; archived':
    'von jemandem, der nicht in der Datei ist, oder zu viele Optionen; als archivierte Daten gespeichert',
  'has values that a reminder cannot have; archived':
    'hat Werte, die eine Erinnerung nicht haben kann; unter den archivierten Daten gespeichert',
  'out of range': 'außerhalb des Bereichs',
  'not a time of day': 'keine Uhrzeit',
  'only the first system of the file is imported; the others are archived':
    'Nur das erste System der Datei wird importiert. Die anderen werden als archivierte Daten gespeichert.',
  'belongs to another system of the file; archived':
    'gehört zu einem anderen System der Datei; als archivierte Daten gespeichert',
  'the picture is larger than # KiB': 'das Bild ist größer als # KiB',
  'the picture is no PNG, JPEG, WebP or GIF': 'das Bild ist kein PNG, JPEG, WebP oder GIF',
  'the picture is damaged': 'das Bild ist beschädigt',
  'the picture has more than # pixels a side': 'das Bild hat mehr als # Pixel auf einer Seite',
  'the server has no PUBLIC_URL':
    'dieser Server kann keine Bilder speichern, weil seine öffentliche Adresse nicht eingestellt ist',
  'no space is left for pictures of this system': 'für eure Bilder ist kein Platz mehr',
  'no such asset in this file': 'dieses Bild ist nicht in der Datei',
  'the asset has neither address nor data': 'das Bild hat weder Adresse noch Daten',
  'not a whole date; archived': 'kein vollständiges Datum; als archivierte Daten gespeichert',
  'no such member or field in this file, or given twice; archived':
    'für jemanden oder ein Feld, das nicht in der Datei ist, oder doppelt; als archivierte Daten gespeichert',
}
