import type { NameCommand } from './commandNames'

/** Texts about proxied messages. */
export const messageTexts = {
  messageId: (id: string) => `Message ID: ${id}`,
  nameMessage: 'Name a message by its link or ID, or reply to it.',
  invalidMessage: 'That is not a link or ID of a message.',
  messageNotFound: 'I did not proxy that message, or it no longer exists.',
  noRecentMessage:
    'You have no proxied message of the last ten minutes in this channel. Name one by its link, or reply to it.',
  notYourMessage: 'That is not a message of your system.',
  noAccessToChannel: 'You may not view or write in that channel.',
  noFilesInChannel: 'You may not send files in this channel.',
  replyElsewhere: 'You can reply only to a message of this channel.',
  authorIs: (mention: string, name: string) => `${mention} (${name})`,
  voiceMessage: 'Voice messages cannot be edited.',
  editNeedsText: 'Write the new text.',
  editTooLong: (length: number) => `The text has ${length} characters; at most 2000 are possible.`,
  editEmpty: 'The message would be empty.',
  editTitle: 'Edit message',
  reproxyTitle: 'Reproxy message',
  invalidRegex: 'Write it as `s|search|replacement|flags`, with the flags g, i, m, n, s and x.',
  regexTooSlow: 'That expression takes too long.',
  reproxyTooOld:
    'Only the latest message of a channel, or one of the last minute, can be reproxied.',
  sayDisabled: (name: NameCommand) =>
    `Speaking by command is off in this server. Moderators turn it on with ${name('serverconfig', { setting: 'say on' })}.`,
  said: '✅ Sent.',
  pinged: '✅ Pinged.',
  noReason: 'I do not know that message, or it is not yours.',
}
