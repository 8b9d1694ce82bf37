import type { Ext } from '../catalogue'
import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('de')

export const frontNotes: Ext['frontNotes'] = {
  status: 'Status',
  statusOf: (name) => `Status von ${name}`,
  clearToEnd: 'Leer lassen, um den Status zu beenden.',
  comment: 'Kommentar',
  enterComment: 'Schreib zuerst etwas.',
  about: 'Über',
  wholeFront: 'Alle, die da sind',
  by: 'Geschrieben von',
  nobodyInParticular: 'Keine Angabe',
  comments: 'Kommentare',
  noComments: 'Keine Kommentare an diesem Tag.',
  notes: 'Status und Kommentare',
  noNotes: 'Noch nichts.',
  said: (name, text) => `${name}: ${text}`,
  aboutAt: (name, time) => `Über ${name} · ${time}`,
  statusAt: (time) => `Status · ${time}`,
  commentAt: (time) => `Kommentar · ${time}`,
  edit: { status: 'Status bearbeiten', comment: 'Kommentar bearbeiten' },
  editStatus: (time, text) => `Status bearbeiten, ${time}, ${text}`,
  editComment: (time, text) => `Kommentar bearbeiten, ${time}, ${text}`,
  deleteAsk: { status: 'Diesen Status löschen?', comment: 'Diesen Kommentar löschen?' },
  deleteEffect: 'Das lässt sich nicht rückgängig machen.',
  isDeleted: { status: 'Status gelöscht.', comment: 'Kommentar gelöscht.' },
  isStatusSaved: 'Status gespeichert.',
  isStatusEnded: 'Status beendet.',
  isCommentSaved: 'Kommentar gespeichert.',
  newPostsHere: 'Neue Beiträge',
  newPosts: (count, name) =>
    plural(count, {
      one: `${number(count)} neuer Beitrag für ${name}`,
      other: `${number(count)} neue Beiträge für ${name}`,
    }),
}
