import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('en-GB')

/** Texts about the copy on the device, and about switches that wait there. */
export const offline = {
  waiting: (count: number) =>
    plural(count, {
      one: '1 switch is waiting to be sent.',
      other: `${number(count)} switches are waiting to be sent.`,
    }),
  refused: (count: number) =>
    plural(count, {
      one: '1 switch couldn’t be saved.',
      other: `${number(count)} switches couldn’t be saved.`,
    }),
  incomplete: (count: number) =>
    plural(count, {
      one: '1 switch was saved without someone who was deleted.',
      other: `${number(count)} switches were saved without someone who was deleted.`,
    }),
  review: 'Review',
  reviewHeading: 'Switches on this device',
  nothingLeft: 'Everything is sent.',
  willBeSent: 'Sent when the server answers',
  willBeUndone: 'Undone when the server answers',
  nobodyLeft: 'Everyone in it was deleted.',
  wasSentWithout: (count: number) =>
    plural(count, {
      one: 'Saved without someone who was deleted',
      other: `Saved without ${number(count)} who were deleted`,
    }),
  edit: 'Edit',
  editNamed: (time: string, who: string) => `Edit ${time}, ${who}`,
  discard: 'Discard',
  discardNamed: (time: string, who: string) => `Discard ${time}, ${who}`,
  ok: 'OK',
  okNamed: (time: string, who: string) => `OK, ${time}, ${who}`,
  foreignAsk: 'Discard switches of another system?',
  foreign: (count: number) =>
    plural(count, {
      one: '1 switch of another system is waiting on this device. It can only be sent after you log in as that system again.',
      other: `${number(count)} switches of another system are waiting on this device. They can only be sent after you log in as that system again.`,
    }),
  logOutAsk: 'Log out with unsent switches?',
  logOutEffect: (count: number) =>
    plural(count, {
      one: '1 switch hasn’t been sent yet. Logging out deletes it.',
      other: `${number(count)} switches haven’t been sent yet. Logging out deletes them.`,
    }),
  copy: 'Copy on this device',
  copyMore:
    'Keeps names, pronouns, colours, groups, settings, status texts and the last 200 switches in this browser, so that you can look at them and log switches without network. Deleted when you log out, or after 14 days without contact.',
  copyNeedsRemember:
    'There is no copy, because you didn’t choose “Remember this device” when you logged in.',
  onlyLatest: 'Without network you see the last 200 switches.',
  notOnDevice: 'Not kept on this device. You’ll see it when you’re connected again.',
}
