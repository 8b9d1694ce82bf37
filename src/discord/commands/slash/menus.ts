import type { Answer } from '../answer'
import type { Context } from '../context'
import {
  deleteMessage,
  explainMessage,
  openMessageModal,
  pingAuthor,
  showMessage,
} from '../handlers/message'

/** A command in the menu of a message, which acts on the message that the context targets. */
interface Menu {
  readonly run: (context: Context) => Promise<Answer>
  /** Answers with a form, which can only be the first response. */
  readonly isForm: boolean
}

const none = { values: {}, lists: {}, flags: new Set<string>() }

export const messageMenus: ReadonlyMap<string, Menu> = new Map<string, Menu>([
  ['Message info', { run: (context) => showMessage(context, none), isForm: false }],
  ['Delete message', { run: (context) => deleteMessage(context, none), isForm: false }],
  ['Ping author', { run: (context) => pingAuthor(context, none), isForm: false }],
  ['Edit message', { run: (context) => openMessageModal(context, 'edit'), isForm: true }],
  ['Reproxy message', { run: (context) => openMessageModal(context, 'reproxy'), isForm: true }],
  ['Why not proxied?', { run: (context) => explainMessage(context, none), isForm: false }],
])

export const messageMenuNames: readonly string[] = [...messageMenus.keys()]

/** Name of the command in the menu of an account. */
export const USER_MENU = 'System info'
